define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r0 = alloca i64, align 64
%r3 = alloca <32 x i32>, align 64
%r4 = alloca <32 x i32>, align 64
%m1 = alloca <32 x i1>, align 4
%m2 = alloca <32 x i1>, align 4
%m3 = alloca <32 x i1>, align 4
%fuel = alloca i32, align 4
store i32 15420, ptr %fuel, align 4
%v0 = getelementptr i8, ptr %w, i64 0
%v1 = load ptr, ptr %v0, align 4, !tbaa !5
%v2 = getelementptr i8, ptr %v1, i64 128
%v3 = load i64, ptr %v2, align 8, !tbaa !5
%v4 = getelementptr i8, ptr %v2, i64 24
%v5 = load i64, ptr %v4, align 8, !tbaa !5
%v6 = add i64 %v3, %v5
%v7 = inttoptr i64 %v6 to ptr
%v8 = getelementptr i8, ptr %v7, i64 0
%v9 = load i64, ptr %v8, align 8, !tbaa !5
%v10 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v9, i64 4, i64 1, ptr %v10)
%v11 = getelementptr i8, ptr %v10, i64 0
%v12 = getelementptr i8, ptr %v10, i64 8
%v13 = getelementptr i8, ptr %v10, i64 16
%v14 = getelementptr i8, ptr %v10, i64 24
%v15 = load i64, ptr %v11, align 8, !tbaa !5
%v16 = load i64, ptr %v12, align 8, !tbaa !5
%v17 = load i64, ptr %v13, align 8, !tbaa !5
%v18 = load i64, ptr %v14, align 8, !tbaa !5
%v19 = inttoptr i64 %v18 to ptr
%v20 = sub i64 %v9, %v15
%v21 = sub i64 %v16, 127
%v22 = call i64 @llvm.smax.i64(i64 %v21, i64 0)
%v23 = add i64 %v22, 3
%v24 = lshr i64 %v23, 2
%v25 = sub i64 %v17, 127
%v26 = call i64 @llvm.smax.i64(i64 %v25, i64 0)
%v27 = add i64 %v26, 3
%v28 = lshr i64 %v27, 2
br label %cta
cta:
%begin = phi i32 [ %start, %entry ], [ 0, %beside ]
br label %warp
warp:
%index = phi i32 [ %begin, %cta ], [ %next, %ready ]
%index64 = zext i32 %index to i64
%place = mul i64 %index64, 0
%frame = getelementptr i8, ptr %frames, i64 %place
%first32 = shl i32 %index, 5
%first = zext i32 %first32 to i64
store <32 x i1> zeroinitializer, ptr %m1, align 4
store <32 x i1> zeroinitializer, ptr %m2, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v29 = zext i32 %first32 to i64
%v30 = mul i64 %v29, 4
%v31 = add i64 %v9, %v30
%v32 = sub i64 %v31, %v9
%v33 = add i64 %v20, %v32
%v34 = call i64 @llvm.fshr.i64(i64 %v33, i64 %v33, i64 2)
%v35 = icmp ult i64 %v34, %v24
br i1 %v35, label %b36, label %b37, !prof !1
b37:
%v38 = add i64 %v15, %v33
%v39 = zext i32 -1 to i64
%v40 = call i1 @openptx.load_span(ptr %w, i64 %v39, i64 17179935745, i64 %v38, ptr @span.0)
br i1 %v40, label %failed, label %b41, !prof !0
b41:
%v42 = getelementptr i8, ptr %w, i64 1280
%v43 = load volatile <32 x i32>, ptr %v42, align 4, !tbaa !5
br label %b44
b36:
%v45 = getelementptr i8, ptr %v19, i64 %v33
%v46 = load <32 x i32>, ptr %v45, align 4, !tbaa !6
br label %b44
b44:
%v47 = phi <32 x i32> [%v46, %b36], [%v43, %b41]
store i64 %v31, ptr %r0, align 4
store <32 x i32> %v47, ptr %r3, align 4
store <32 x i32> zeroinitializer, ptr %r4, align 4
store <32 x i1> splat (i1 true), ptr %m1, align 4
br label %block1
block1:
; 6
%v48 = load <32 x i1>, ptr %m1, align 4
store <32 x i1> zeroinitializer, ptr %m1, align 4
%v49 = load i32, ptr %fuel, align 4
%v50 = sub i32 %v49, 1
store i32 %v50, ptr %fuel, align 4
%v51 = icmp eq i32 %v50, 0
br i1 %v51, label %b52, label %b53, !prof !0
b52:
store i32 15420, ptr %fuel, align 4
%v54 = call i1 @openptx.poll(ptr %w)
br i1 %v54, label %b55, label %b56, !prof !0
b55:
%v57 = bitcast <32 x i1> %v48 to i32
%v58 = getelementptr i8, ptr %w, i64 200
store i32 %v57, ptr %v58, align 4
%v59 = getelementptr i8, ptr %w, i64 196
store i32 6, ptr %v59, align 4
br label %failed
b56:
br label %b53
b53:
%v60 = load <32 x i32>, ptr %r3, align 4
%v61 = icmp ult <32 x i32> splat (i32 1), %v60
%v62 = xor <32 x i1> %v61, splat (i1 true)
%v63 = xor <32 x i1> %v62, splat (i1 true)
%v64 = and <32 x i1> %v62, %v48
%v65 = xor <32 x i1> %v62, splat (i1 true)
%v66 = and <32 x i1> %v65, %v48
%v67 = load <32 x i1>, ptr %m3, align 4
%v68 = or <32 x i1> %v67, %v64
store <32 x i1> %v68, ptr %m3, align 4
store <32 x i1> %v66, ptr %m2, align 4
br label %way0
block2:
; 8
%v69 = load <32 x i1>, ptr %m2, align 4
store <32 x i1> zeroinitializer, ptr %m2, align 4
%v70 = load <32 x i32>, ptr %r3, align 4
%v71 = and <32 x i32> %v70, splat (i32 1)
%v72 = icmp eq <32 x i32> %v71, zeroinitializer
%v73 = xor <32 x i1> %v72, splat (i1 true)
%v74 = mul <32 x i32> %v70, splat (i32 3)
%v75 = add <32 x i32> %v74, splat (i32 1)
%v76 = lshr <32 x i32> %v70, splat (i32 1)
%v77 = select <32 x i1> %v72, <32 x i32> %v76, <32 x i32> %v75
%v78 = load <32 x i32>, ptr %r4, align 4
%v79 = add <32 x i32> %v78, splat (i32 1)
%v80 = select <32 x i1> %v69, <32 x i32> %v79, <32 x i32> %v78
store <32 x i32> %v77, ptr %r3, align 4
store <32 x i32> %v80, ptr %r4, align 4
store <32 x i1> %v69, ptr %m1, align 4
br label %block1
block3:
; 15
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v81 = load i64, ptr %r0, align 4
%v82 = load <32 x i32>, ptr %r4, align 4
%v83 = sub i64 %v81, %v9
%v84 = add i64 %v20, %v83
%v85 = call i64 @llvm.fshr.i64(i64 %v84, i64 %v84, i64 2)
%v86 = icmp ult i64 %v85, %v28
br i1 %v86, label %b87, label %b88, !prof !1
b88:
%v89 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v82, ptr %v89, align 4, !tbaa !5
%v90 = add i64 %v15, %v84
%v91 = zext i32 -1 to i64
%v92 = call i1 @openptx.store_span(ptr %w, i64 %v91, i64 64424576001, i64 %v90, ptr @span.0)
br i1 %v92, label %failed, label %b93, !prof !0
b93:
br label %b94
b87:
%v95 = getelementptr i8, ptr %v19, i64 %v84
store <32 x i32> %v82, ptr %v95, align 4, !tbaa !6
br label %b94
b94:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v96 = load <32 x i1>, ptr %m2, align 4
%v97 = bitcast <32 x i1> %v96 to i32
%v98 = icmp ne i32 %v97, 0
br i1 %v98, label %block2, label %block3
ended:
br label %onward
failed:
%v99 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v99, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v100 = icmp ult i32 %next, 2
br i1 %v100, label %ready, label %rest
rest:
%v101 = call i1 @openptx.next_in_row(ptr %w)
br i1 %v101, label %beside, label %done
done:
ret i32 0
beside:
br label %cta
ready:
br label %warp
}

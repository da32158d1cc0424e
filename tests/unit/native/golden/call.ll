define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%fuel = alloca i32, align 4
store i32 32768, ptr %fuel, align 4
%in = alloca [512 x i8], align 64
%out = alloca [512 x i8], align 64
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
%v10 = lshr i64 %v9, 32
%v11 = getelementptr i8, ptr %w, i64 8
%v12 = load i64, ptr %v11, align 4, !tbaa !5
%v13 = sub i64 %v10, 16
%v14 = sub i64 %v12, 16
%v15 = icmp ult i64 %v13, %v14
%v16 = select i1 %v15, i64 %v10, i64 0
%v17 = getelementptr [32 x i8], ptr %v1, i64 %v16
%v18 = getelementptr i8, ptr %v17, i64 0
%v19 = getelementptr i8, ptr %v17, i64 8
%v20 = getelementptr i8, ptr %v17, i64 16
%v21 = getelementptr i8, ptr %v17, i64 24
%v22 = load i64, ptr %v18, align 8, !tbaa !5
%v23 = load i64, ptr %v19, align 8, !tbaa !5
%v24 = load i64, ptr %v20, align 8, !tbaa !5
%v25 = load i64, ptr %v21, align 8, !tbaa !5
%v26 = add i64 %v22, 3
%v27 = and i64 %v26, -4
%v28 = sub i64 %v27, %v22
%v29 = sub i64 %v23, %v28
%v30 = sub i64 %v24, %v28
%v31 = add i64 %v27, %v25
%v32 = inttoptr i64 %v31 to ptr
%v33 = sub i64 %v9, %v27
%v34 = sub i64 %v30, 127
%v35 = call i64 @llvm.smax.i64(i64 %v34, i64 0)
%v36 = add i64 %v35, 3
%v37 = lshr i64 %v36, 2
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
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v38 = zext i32 %first32 to i64
%v39 = mul i64 %v38, 4
%v40 = add i64 %v9, %v39
%v41 = sub i64 %v40, %v9
%v42 = add i64 %v33, %v41
%v43 = call i64 @llvm.fshr.i64(i64 %v42, i64 %v42, i64 2)
%v44 = icmp ult i64 %v43, %v37
br i1 %v44, label %b45, label %b46, !prof !1
b45:
%v47 = getelementptr i8, ptr %v32, i64 %v42
%v48 = load <32 x i32>, ptr %v47, align 4, !tbaa !6
br label %b49
b46:
%v50 = add i64 %v27, %v42
%v51 = zext i32 -1 to i64
%v52 = call i1 @openptx.load_span(ptr %w, i64 %v51, i64 17179935745, i64 %first, i64 0, i64 %v50, ptr @span.0)
br i1 %v52, label %failed, label %b53, !prof !0
b53:
%v54 = getelementptr i8, ptr %w, i64 1280
%v55 = load volatile <32 x i32>, ptr %v54, align 4, !tbaa !5
br label %b49
b49:
%v56 = phi <32 x i32> [%v48, %b45], [%v55, %b53]
%v57 = getelementptr i8, ptr %in, i64 0
store <32 x i32> %v56, ptr %v57, align 64
%v58 = call i32 @function1(ptr %w, ptr %in, ptr %out, i32 %index, <32 x i1> splat (i1 true), i64 0)
%v59 = icmp ne i32 %v58, 0
br i1 %v59, label %b60, label %b61, !prof !0
b60:
call void @openptx.chain(ptr %w, i32 5)
br label %failed
b61:
%v62 = getelementptr i8, ptr %out, i64 0
%v63 = load <32 x i32>, ptr %v62, align 64
br i1 %v44, label %b64, label %b65, !prof !1
b65:
%v66 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v63, ptr %v66, align 4, !tbaa !5
%v67 = zext i32 -1 to i64
%v68 = call i1 @openptx.store_span(ptr %w, i64 %v67, i64 25769870337, i64 %first, i64 0, i64 %v40, ptr @span.0)
br i1 %v68, label %failed, label %b69, !prof !0
b69:
br label %b70
b64:
%v71 = sub i64 %v40, %v9
%v72 = add i64 %v33, %v71
%v73 = getelementptr i8, ptr %v32, i64 %v72
store <32 x i32> %v63, ptr %v73, align 4, !tbaa !6
br label %b70
b70:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v74 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v74, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v75 = icmp ult i32 %next, 2
br i1 %v75, label %ready, label %rest
rest:
%v76 = getelementptr i8, ptr %w, i64 928
%v77 = load i32, ptr %v76, align 4
%v78 = add i32 %v77, -1
store i32 %v78, ptr %v76, align 4
%v79 = getelementptr i8, ptr %w, i64 120
%v80 = load ptr, ptr %v79, align 8
%v81 = getelementptr i8, ptr %v80, i64 16
%v82 = load volatile i32, ptr %v81, align 4
%v83 = icmp ne i32 %v78, 0
%v84 = icmp eq i32 %v82, 0
%v85 = and i1 %v83, %v84
br i1 %v85, label %beside, label %done
done:
ret i32 0
beside:
%v86 = getelementptr i8, ptr %w, i64 64
%v87 = load i32, ptr %v86, align 4
%v88 = add i32 %v87, 1
store i32 %v88, ptr %v86, align 4
%v89 = getelementptr i8, ptr %w, i64 88
%v90 = load i64, ptr %v89, align 4
%v91 = add i64 %v90, 1
store i64 %v91, ptr %v89, align 4
%v92 = getelementptr i8, ptr %w, i64 848
%v93 = load i64, ptr %v92, align 4
%v94 = add i64 %v93, 1
store i64 %v94, ptr %v92, align 4
br label %cta
ready:
br label %warp
}

define internal i32 @function1(ptr noalias %w, ptr %arguments, ptr %results, i32 %index, <32 x i1> %mask, i64 %base) noinline nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r0 = alloca <32 x i32>, align 64
%r1 = alloca <32 x i32>, align 64
%fuel = alloca i32, align 4
store i32 65536, ptr %fuel, align 4
%first32 = shl i32 %index, 5
%first = zext i32 %first32 to i64
store <32 x i32> zeroinitializer, ptr %r1, align 4
store <32 x i1> %mask, ptr %live, align 4
%v0 = add i64 %base, 0
%v1 = getelementptr i8, ptr %w, i64 40
%v2 = load i64, ptr %v1, align 8
%v3 = icmp ugt i64 %v0, %v2
%v4 = getelementptr i8, ptr %w, i64 240
%v5 = load ptr, ptr %v4, align 8
%v6 = icmp ult ptr %live, %v5
%v7 = or i1 %v3, %v6
br i1 %v7, label %b8, label %b9, !prof !0
b8:
%v10 = bitcast <32 x i1> %mask to i32
%v11 = getelementptr i8, ptr %w, i64 192
store i32 8, ptr %v11, align 4
%v12 = getelementptr i8, ptr %w, i64 200
store i32 %v10, ptr %v12, align 4
%v13 = getelementptr i8, ptr %w, i64 216
store i32 0, ptr %v13, align 4
%v14 = getelementptr i8, ptr %w, i64 196
store i32 1048576, ptr %v14, align 4
br label %failed
b9:
%v15 = getelementptr i8, ptr %arguments, i64 0
%v16 = load <32 x i32>, ptr %v15, align 64
store <32 x i32> %v16, ptr %r1, align 4
br label %block0
block0:
; 0
%v17 = load <32 x i1>, ptr %live, align 4
%v18 = load <32 x i32>, ptr %r1, align 4
%v19 = mul <32 x i32> %v18, %v18
store <32 x i32> %v19, ptr %r0, align 4
%v20 = getelementptr i8, ptr %results, i64 0
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v19, ptr align 64 %v20, <32 x i1> %v17)
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
ret i32 0
failed:
ret i32 2
}

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
%v34 = sub i64 %v29, 127
%v35 = call i64 @llvm.smax.i64(i64 %v34, i64 0)
%v36 = add i64 %v35, 3
%v37 = lshr i64 %v36, 2
%v38 = sub i64 %v30, 127
%v39 = call i64 @llvm.smax.i64(i64 %v38, i64 0)
%v40 = add i64 %v39, 3
%v41 = lshr i64 %v40, 2
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
%v42 = zext i32 %first32 to i64
%v43 = mul i64 %v42, 4
%v44 = add i64 %v9, %v43
%v45 = sub i64 %v44, %v9
%v46 = add i64 %v33, %v45
%v47 = call i64 @llvm.fshr.i64(i64 %v46, i64 %v46, i64 2)
%v48 = icmp ult i64 %v47, %v37
br i1 %v48, label %b49, label %b50, !prof !1
b49:
%v51 = getelementptr i8, ptr %v32, i64 %v46
%v52 = load <32 x i32>, ptr %v51, align 4, !tbaa !6
br label %b53
b50:
%v54 = add i64 %v27, %v46
%v55 = zext i32 -1 to i64
%v56 = call i1 @openptx.load_span(ptr %w, i64 %v55, i64 17179935745, i64 %first, i64 0, i64 %v54, ptr @span.0)
br i1 %v56, label %failed, label %b57, !prof !0
b57:
%v58 = getelementptr i8, ptr %w, i64 1280
%v59 = load volatile <32 x i32>, ptr %v58, align 4, !tbaa !5
br label %b53
b53:
%v60 = phi <32 x i32> [%v52, %b49], [%v59, %b57]
store i64 %v44, ptr %r0, align 4
store <32 x i32> %v60, ptr %r3, align 4
store <32 x i32> zeroinitializer, ptr %r4, align 4
store <32 x i1> splat (i1 true), ptr %m1, align 4
br label %block1
block1:
; 6
%v61 = load <32 x i1>, ptr %m1, align 4
store <32 x i1> zeroinitializer, ptr %m1, align 4
%v62 = load i32, ptr %fuel, align 4
%v63 = sub i32 %v62, 1
store i32 %v63, ptr %fuel, align 4
%v64 = icmp eq i32 %v63, 0
br i1 %v64, label %b65, label %b66, !prof !0
b65:
store i32 15420, ptr %fuel, align 4
%v67 = call i1 @openptx.poll(ptr %w)
br i1 %v67, label %b68, label %b69, !prof !0
b68:
%v70 = getelementptr i8, ptr %w, i64 196
store i32 6, ptr %v70, align 4
br label %failed
b69:
br label %b66
b66:
%v71 = load <32 x i32>, ptr %r3, align 4
%v72 = icmp ult <32 x i32> splat (i32 1), %v71
%v73 = xor <32 x i1> %v72, splat (i1 true)
%v74 = xor <32 x i1> %v73, splat (i1 true)
%v75 = and <32 x i1> %v73, %v61
%v76 = xor <32 x i1> %v73, splat (i1 true)
%v77 = and <32 x i1> %v76, %v61
%v78 = load <32 x i1>, ptr %m3, align 4
%v79 = or <32 x i1> %v78, %v75
store <32 x i1> %v79, ptr %m3, align 4
store <32 x i1> %v77, ptr %m2, align 4
br label %way0
block2:
; 8
%v80 = load <32 x i1>, ptr %m2, align 4
store <32 x i1> zeroinitializer, ptr %m2, align 4
%v81 = load <32 x i32>, ptr %r3, align 4
%v82 = and <32 x i32> %v81, splat (i32 1)
%v83 = icmp eq <32 x i32> %v82, zeroinitializer
%v84 = xor <32 x i1> %v83, splat (i1 true)
%v85 = mul <32 x i32> %v81, splat (i32 3)
%v86 = add <32 x i32> %v85, splat (i32 1)
%v87 = lshr <32 x i32> %v81, splat (i32 1)
%v88 = select <32 x i1> %v83, <32 x i32> %v87, <32 x i32> %v86
%v89 = load <32 x i32>, ptr %r4, align 4
%v90 = add <32 x i32> %v89, splat (i32 1)
%v91 = select <32 x i1> %v80, <32 x i32> %v90, <32 x i32> %v89
store <32 x i32> %v88, ptr %r3, align 4
store <32 x i32> %v91, ptr %r4, align 4
store <32 x i1> %v80, ptr %m1, align 4
br label %block1
block3:
; 15
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v92 = load i64, ptr %r0, align 4
%v93 = load <32 x i32>, ptr %r4, align 4
%v94 = sub i64 %v92, %v9
%v95 = add i64 %v33, %v94
%v96 = call i64 @llvm.fshr.i64(i64 %v95, i64 %v95, i64 2)
%v97 = icmp ult i64 %v96, %v41
br i1 %v97, label %b98, label %b99, !prof !1
b99:
%v100 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v93, ptr %v100, align 4, !tbaa !5
%v101 = add i64 %v27, %v95
%v102 = zext i32 -1 to i64
%v103 = call i1 @openptx.store_span(ptr %w, i64 %v102, i64 64424576001, i64 %first, i64 0, i64 %v101, ptr @span.0)
br i1 %v103, label %failed, label %b104, !prof !0
b104:
br label %b105
b98:
%v106 = getelementptr i8, ptr %v32, i64 %v95
store <32 x i32> %v93, ptr %v106, align 4, !tbaa !6
br label %b105
b105:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v107 = load <32 x i1>, ptr %m2, align 4
%v108 = bitcast <32 x i1> %v107 to i32
%v109 = icmp ne i32 %v108, 0
br i1 %v109, label %block2, label %block3
ended:
br label %onward
failed:
%v110 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v110, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v111 = icmp ult i32 %next, 2
br i1 %v111, label %ready, label %rest
rest:
%v112 = getelementptr i8, ptr %w, i64 928
%v113 = load i32, ptr %v112, align 4
%v114 = add i32 %v113, -1
store i32 %v114, ptr %v112, align 4
%v115 = getelementptr i8, ptr %w, i64 120
%v116 = load ptr, ptr %v115, align 8
%v117 = getelementptr i8, ptr %v116, i64 16
%v118 = load volatile i32, ptr %v117, align 4
%v119 = icmp ne i32 %v114, 0
%v120 = icmp eq i32 %v118, 0
%v121 = and i1 %v119, %v120
br i1 %v121, label %beside, label %done
done:
ret i32 0
beside:
%v122 = getelementptr i8, ptr %w, i64 64
%v123 = load i32, ptr %v122, align 4
%v124 = add i32 %v123, 1
store i32 %v124, ptr %v122, align 4
%v125 = getelementptr i8, ptr %w, i64 88
%v126 = load i64, ptr %v125, align 4
%v127 = add i64 %v126, 1
store i64 %v127, ptr %v125, align 4
%v128 = getelementptr i8, ptr %w, i64 848
%v129 = load i64, ptr %v128, align 4
%v130 = add i64 %v129, 1
store i64 %v130, ptr %v128, align 4
br label %cta
ready:
br label %warp
}

define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r0 = alloca i64, align 64
%r1 = alloca i64, align 64
%r2 = alloca i64, align 64
%r7 = alloca i32, align 64
%fuel = alloca i32, align 4
store i32 13797, ptr %fuel, align 4
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
%v10 = getelementptr i8, ptr %v7, i64 8
%v11 = load i64, ptr %v10, align 8, !tbaa !5
%v12 = getelementptr i8, ptr %v7, i64 16
%v13 = load i64, ptr %v12, align 8, !tbaa !5
%v14 = getelementptr i8, ptr %v7, i64 24
%v15 = load i32, ptr %v14, align 4, !tbaa !5
%v16 = getelementptr i8, ptr %w, i64 64
%v17 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v9, i64 4, i64 1, ptr %v17)
%v18 = getelementptr i8, ptr %v17, i64 0
%v19 = getelementptr i8, ptr %v17, i64 8
%v20 = getelementptr i8, ptr %v17, i64 16
%v21 = getelementptr i8, ptr %v17, i64 24
%v22 = load i64, ptr %v18, align 8, !tbaa !5
%v23 = load i64, ptr %v19, align 8, !tbaa !5
%v24 = load i64, ptr %v20, align 8, !tbaa !5
%v25 = load i64, ptr %v21, align 8, !tbaa !5
%v26 = inttoptr i64 %v25 to ptr
%v27 = sub i64 %v9, %v22
%v28 = sub i64 %v23, 127
%v29 = call i64 @llvm.smax.i64(i64 %v28, i64 0)
%v30 = add i64 %v29, 3
%v31 = lshr i64 %v30, 2
%v32 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v11, i64 4, i64 1, ptr %v32)
%v33 = getelementptr i8, ptr %v32, i64 0
%v34 = getelementptr i8, ptr %v32, i64 8
%v35 = getelementptr i8, ptr %v32, i64 16
%v36 = getelementptr i8, ptr %v32, i64 24
%v37 = load i64, ptr %v33, align 8, !tbaa !5
%v38 = load i64, ptr %v34, align 8, !tbaa !5
%v39 = load i64, ptr %v35, align 8, !tbaa !5
%v40 = load i64, ptr %v36, align 8, !tbaa !5
%v41 = inttoptr i64 %v40 to ptr
%v42 = sub i64 %v11, %v37
%v43 = sub i64 %v38, 127
%v44 = call i64 @llvm.smax.i64(i64 %v43, i64 0)
%v45 = add i64 %v44, 3
%v46 = lshr i64 %v45, 2
%v47 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v13, i64 4, i64 1, ptr %v47)
%v48 = getelementptr i8, ptr %v47, i64 0
%v49 = getelementptr i8, ptr %v47, i64 8
%v50 = getelementptr i8, ptr %v47, i64 16
%v51 = getelementptr i8, ptr %v47, i64 24
%v52 = load i64, ptr %v48, align 8, !tbaa !5
%v53 = load i64, ptr %v49, align 8, !tbaa !5
%v54 = load i64, ptr %v50, align 8, !tbaa !5
%v55 = load i64, ptr %v51, align 8, !tbaa !5
%v56 = inttoptr i64 %v55 to ptr
%v57 = sub i64 %v13, %v52
%v58 = sub i64 %v54, 127
%v59 = call i64 @llvm.smax.i64(i64 %v58, i64 0)
%v60 = add i64 %v59, 3
%v61 = lshr i64 %v60, 2
br label %cta
cta:
%begin = phi i32 [ %start, %entry ], [ 0, %beside ]
%v62 = load i32, ptr %v16, align 4, !tbaa !5
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
%v63 = mul i32 %v62, 64
%v64 = add i32 %v63, %first32
%v65 = zext i32 %v64 to i64
%v66 = zext i32 %v15 to i64
%v67 = add i64 %v65, 32
%v68 = sub i64 %v67, %v66
%v69 = call i64 @llvm.smax.i64(i64 %v68, i64 0)
%v70 = call i64 @llvm.smin.i64(i64 %v69, i64 32)
%v71 = lshr i64 4294967295, %v70
%v72 = trunc i64 %v71 to i32
%v73 = bitcast i32 %v72 to <32 x i1>
%v74 = xor <32 x i1> %v73, splat (i1 true)
%v75 = xor <32 x i1> %v74, splat (i1 true)
store i64 %v9, ptr %r0, align 4
store i64 %v11, ptr %r1, align 4
store i64 %v13, ptr %r2, align 4
store i32 %v64, ptr %r7, align 4
%v76 = xor <32 x i1> %v74, splat (i1 true)
%v77 = load <32 x i1>, ptr %live, align 4
%v78 = xor <32 x i1> %v74, splat (i1 true)
%v79 = and <32 x i1> %v77, %v78
store <32 x i1> %v79, ptr %live, align 4
%v80 = bitcast <32 x i1> %v76 to i32
%v81 = icmp ne i32 %v80, 0
br i1 %v81, label %block1, label %ended
block1:
; 10
%v82 = load <32 x i1>, ptr %live, align 4
%v83 = load i32, ptr %r7, align 4
%v84 = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %v83, i32 31)
%v85 = extractvalue { i32, i1 } %v84, 1
br i1 %v85, label %b86, label %b87, !prof !0
b86:
%v88 = load i64, ptr %r0, align 4
%v89 = load i64, ptr %r1, align 4
%v90 = load i64, ptr %r2, align 4
%v91 = getelementptr i8, ptr %frame, i64 0
store i32 -12, ptr %v91, align 4
%v92 = load <32 x i1>, ptr %live, align 4
%v93 = getelementptr i8, ptr %frame, i64 16
store <32 x i1> %v92, ptr %v93, align 4
%v94 = getelementptr i8, ptr %frame, i64 64
store <32 x i1> %v82, ptr %v94, align 4
%v95 = getelementptr i8, ptr %frame, i64 128
store i64 %v88, ptr %v95, align 4
%v96 = getelementptr i8, ptr %frame, i64 384
store i64 %v89, ptr %v96, align 4
%v97 = getelementptr i8, ptr %frame, i64 640
store i64 %v90, ptr %v97, align 4
%v98 = getelementptr i8, ptr %frame, i64 896
store i32 %v83, ptr %v98, align 4
%v99 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v99, align 4
ret i32 3
b87:
%v100 = zext i32 %v83 to i64
%v101 = mul i64 %v100, 4
%v102 = load i64, ptr %r0, align 4
%v103 = add i64 %v102, %v101
%v104 = load i64, ptr %r1, align 4
%v105 = add i64 %v104, %v101
%v106 = load i64, ptr %r2, align 4
%v107 = add i64 %v106, %v101
%v108 = sub i64 %v103, %v9
%v109 = add i64 %v27, %v108
%v110 = call i64 @llvm.fshr.i64(i64 %v109, i64 %v109, i64 2)
%v111 = icmp ult i64 %v110, %v31
br i1 %v111, label %b112, label %b113, !prof !1
b113:
%v114 = add i64 %v22, %v109
%v115 = bitcast <32 x i1> %v82 to i32
%v116 = zext i32 %v115 to i64
%v117 = call i1 @openptx.load_span(ptr %w, i64 %v116, i64 60129608705, i64 %v114, ptr @span.0)
br i1 %v117, label %failed, label %b118, !prof !0
b118:
%v119 = getelementptr i8, ptr %w, i64 1280
%v120 = load volatile <32 x i32>, ptr %v119, align 4, !tbaa !5
br label %b121
b112:
%v122 = getelementptr i8, ptr %v26, i64 %v109
%v123 = load <32 x i32>, ptr %v122, align 4, !tbaa !6
br label %b121
b121:
%v124 = phi <32 x i32> [%v123, %b112], [%v120, %b118]
%v125 = sub i64 %v105, %v11
%v126 = add i64 %v42, %v125
%v127 = call i64 @llvm.fshr.i64(i64 %v126, i64 %v126, i64 2)
%v128 = icmp ult i64 %v127, %v46
br i1 %v128, label %b129, label %b130, !prof !1
b130:
%v131 = add i64 %v37, %v126
%v132 = bitcast <32 x i1> %v82 to i32
%v133 = zext i32 %v132 to i64
%v134 = call i1 @openptx.load_span(ptr %w, i64 %v133, i64 64424576001, i64 %v131, ptr @span.0)
br i1 %v134, label %failed, label %b135, !prof !0
b135:
%v136 = getelementptr i8, ptr %w, i64 1280
%v137 = load volatile <32 x i32>, ptr %v136, align 4, !tbaa !5
br label %b138
b129:
%v139 = getelementptr i8, ptr %v41, i64 %v126
%v140 = load <32 x i32>, ptr %v139, align 4, !tbaa !6
br label %b138
b138:
%v141 = phi <32 x i32> [%v140, %b129], [%v137, %b135]
%v142 = bitcast <32 x i32> %v124 to <32 x float>
%v143 = bitcast <32 x i32> %v141 to <32 x float>
%v144 = fadd <32 x float> %v142, %v143
%v145 = bitcast <32 x float> %v144 to <32 x i32>
%v146 = fcmp uno <32 x float> %v144, zeroinitializer
%v147 = select <32 x i1> %v146, <32 x i32> splat (i32 2147483647), <32 x i32> %v145
%v148 = sub i64 %v107, %v13
%v149 = add i64 %v57, %v148
%v150 = call i64 @llvm.fshr.i64(i64 %v149, i64 %v149, i64 2)
%v151 = icmp ult i64 %v150, %v61
br i1 %v151, label %b152, label %b153, !prof !1
b153:
%v154 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v147, ptr %v154, align 4, !tbaa !5
%v155 = add i64 %v52, %v149
%v156 = bitcast <32 x i1> %v82 to i32
%v157 = zext i32 %v156 to i64
%v158 = call i1 @openptx.store_span(ptr %w, i64 %v157, i64 73014510593, i64 %v155, ptr @span.0)
br i1 %v158, label %failed, label %b159, !prof !0
b159:
br label %b160
b152:
%v161 = getelementptr i8, ptr %v56, i64 %v149
%v162 = bitcast <32 x i1> %v82 to i32
%v163 = icmp eq i32 %v162, -1
br i1 %v163, label %b164, label %b165, !prof !1
b164:
store <32 x i32> %v147, ptr %v161, align 4, !tbaa !6
br label %b166
b165:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v147, ptr align 4 %v161, <32 x i1> %v82), !tbaa !6
br label %b166
b166:
br label %b160
b160:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v167 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v167, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v168 = icmp ult i32 %next, 2
br i1 %v168, label %ready, label %rest
rest:
%v169 = call i1 @openptx.next_in_row(ptr %w)
br i1 %v169, label %beside, label %done
done:
ret i32 0
beside:
br label %cta
ready:
br label %warp
}

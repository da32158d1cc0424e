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
%v67 = sub i64 %v65, %v66
%v68 = icmp sgt i64 %v67, -32
br i1 %v68, label %b69, label %b70, !prof !0
b69:
%v71 = call i64 @llvm.smax.i64(i64 %v67, i64 -32)
%v72 = call i64 @llvm.smin.i64(i64 %v71, i64 0)
%v73 = add i64 %v72, 32
%v74 = lshr i64 4294967295, %v73
%v75 = trunc i64 %v74 to i32
br label %b70
b70:
%v76 = phi i32 [-1, %block0], [%v75, %b69]
%v77 = bitcast i32 %v76 to <32 x i1>
%v78 = xor <32 x i1> %v77, splat (i1 true)
%v79 = xor <32 x i1> %v78, splat (i1 true)
store i64 %v9, ptr %r0, align 4
store i64 %v11, ptr %r1, align 4
store i64 %v13, ptr %r2, align 4
store i32 %v64, ptr %r7, align 4
%v80 = xor <32 x i1> %v78, splat (i1 true)
%v81 = load <32 x i1>, ptr %live, align 4
%v82 = xor <32 x i1> %v78, splat (i1 true)
%v83 = and <32 x i1> %v81, %v82
store <32 x i1> %v83, ptr %live, align 4
%v84 = bitcast <32 x i1> %v80 to i32
%v85 = icmp ne i32 %v84, 0
br i1 %v85, label %block1, label %ended
block1:
; 10
%v86 = load <32 x i1>, ptr %live, align 4
%v87 = load i32, ptr %r7, align 4
%v88 = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %v87, i32 31)
%v89 = extractvalue { i32, i1 } %v88, 1
br i1 %v89, label %b90, label %b91, !prof !0
b90:
%v92 = load i64, ptr %r0, align 4
%v93 = load i64, ptr %r1, align 4
%v94 = load i64, ptr %r2, align 4
%v95 = getelementptr i8, ptr %frame, i64 0
store i32 -12, ptr %v95, align 4
%v96 = load <32 x i1>, ptr %live, align 4
%v97 = getelementptr i8, ptr %frame, i64 16
store <32 x i1> %v96, ptr %v97, align 4
%v98 = getelementptr i8, ptr %frame, i64 64
store <32 x i1> %v86, ptr %v98, align 4
%v99 = getelementptr i8, ptr %frame, i64 128
store i64 %v92, ptr %v99, align 4
%v100 = getelementptr i8, ptr %frame, i64 384
store i64 %v93, ptr %v100, align 4
%v101 = getelementptr i8, ptr %frame, i64 640
store i64 %v94, ptr %v101, align 4
%v102 = getelementptr i8, ptr %frame, i64 896
store i32 %v87, ptr %v102, align 4
%v103 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v103, align 4
ret i32 3
b91:
%v104 = zext i32 %v87 to i64
%v105 = mul i64 %v104, 4
%v106 = load i64, ptr %r0, align 4
%v107 = add i64 %v106, %v105
%v108 = load i64, ptr %r1, align 4
%v109 = add i64 %v108, %v105
%v110 = load i64, ptr %r2, align 4
%v111 = add i64 %v110, %v105
%v112 = sub i64 %v107, %v9
%v113 = add i64 %v27, %v112
%v114 = call i64 @llvm.fshr.i64(i64 %v113, i64 %v113, i64 2)
%v115 = icmp ult i64 %v114, %v31
br i1 %v115, label %b116, label %b117, !prof !1
b117:
%v118 = add i64 %v22, %v113
%v119 = bitcast <32 x i1> %v86 to i32
%v120 = zext i32 %v119 to i64
%v121 = call i1 @openptx.load_span(ptr %w, i64 %v120, i64 60129608705, i64 %v118, ptr @span.0)
br i1 %v121, label %failed, label %b122, !prof !0
b122:
%v123 = getelementptr i8, ptr %w, i64 1280
%v124 = load volatile <32 x i32>, ptr %v123, align 4, !tbaa !5
br label %b125
b116:
%v126 = getelementptr i8, ptr %v26, i64 %v113
%v127 = load <32 x i32>, ptr %v126, align 4, !tbaa !6
br label %b125
b125:
%v128 = phi <32 x i32> [%v127, %b116], [%v124, %b122]
%v129 = sub i64 %v109, %v11
%v130 = add i64 %v42, %v129
%v131 = call i64 @llvm.fshr.i64(i64 %v130, i64 %v130, i64 2)
%v132 = icmp ult i64 %v131, %v46
br i1 %v132, label %b133, label %b134, !prof !1
b134:
%v135 = add i64 %v37, %v130
%v136 = bitcast <32 x i1> %v86 to i32
%v137 = zext i32 %v136 to i64
%v138 = call i1 @openptx.load_span(ptr %w, i64 %v137, i64 64424576001, i64 %v135, ptr @span.0)
br i1 %v138, label %failed, label %b139, !prof !0
b139:
%v140 = getelementptr i8, ptr %w, i64 1280
%v141 = load volatile <32 x i32>, ptr %v140, align 4, !tbaa !5
br label %b142
b133:
%v143 = getelementptr i8, ptr %v41, i64 %v130
%v144 = load <32 x i32>, ptr %v143, align 4, !tbaa !6
br label %b142
b142:
%v145 = phi <32 x i32> [%v144, %b133], [%v141, %b139]
%v146 = bitcast <32 x i32> %v128 to <32 x float>
%v147 = bitcast <32 x i32> %v145 to <32 x float>
%v148 = fadd <32 x float> %v146, %v147
%v149 = bitcast <32 x float> %v148 to <32 x i32>
%v150 = fcmp uno <32 x float> %v148, zeroinitializer
%v151 = select <32 x i1> %v150, <32 x i32> splat (i32 2147483647), <32 x i32> %v149
%v152 = sub i64 %v111, %v13
%v153 = add i64 %v57, %v152
%v154 = call i64 @llvm.fshr.i64(i64 %v153, i64 %v153, i64 2)
%v155 = icmp ult i64 %v154, %v61
br i1 %v155, label %b156, label %b157, !prof !1
b157:
%v158 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v151, ptr %v158, align 4, !tbaa !5
%v159 = add i64 %v52, %v153
%v160 = bitcast <32 x i1> %v86 to i32
%v161 = zext i32 %v160 to i64
%v162 = call i1 @openptx.store_span(ptr %w, i64 %v161, i64 73014510593, i64 %v159, ptr @span.0)
br i1 %v162, label %failed, label %b163, !prof !0
b163:
br label %b164
b156:
%v165 = getelementptr i8, ptr %v56, i64 %v153
%v166 = bitcast <32 x i1> %v86 to i32
%v167 = icmp eq i32 %v166, -1
br i1 %v167, label %b168, label %b169, !prof !1
b168:
store <32 x i32> %v151, ptr %v165, align 4, !tbaa !6
br label %b170
b169:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v151, ptr align 4 %v165, <32 x i1> %v86), !tbaa !6
br label %b170
b170:
br label %b164
b164:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v171 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v171, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v172 = icmp ult i32 %next, 2
br i1 %v172, label %ready, label %rest
rest:
%v173 = call i1 @openptx.next_in_row(ptr %w)
br i1 %v173, label %beside, label %done
done:
ret i32 0
beside:
br label %cta
ready:
br label %warp
}

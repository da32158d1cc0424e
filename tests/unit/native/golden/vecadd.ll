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
%v17 = lshr i64 %v9, 32
%v18 = getelementptr i8, ptr %w, i64 8
%v19 = load i64, ptr %v18, align 4, !tbaa !5
%v20 = sub i64 %v17, 16
%v21 = sub i64 %v19, 16
%v22 = icmp ult i64 %v20, %v21
%v23 = select i1 %v22, i64 %v17, i64 0
%v24 = getelementptr [32 x i8], ptr %v1, i64 %v23
%v25 = getelementptr i8, ptr %v24, i64 0
%v26 = getelementptr i8, ptr %v24, i64 8
%v27 = getelementptr i8, ptr %v24, i64 16
%v28 = getelementptr i8, ptr %v24, i64 24
%v29 = load i64, ptr %v25, align 8, !tbaa !5
%v30 = load i64, ptr %v26, align 8, !tbaa !5
%v31 = load i64, ptr %v27, align 8, !tbaa !5
%v32 = load i64, ptr %v28, align 8, !tbaa !5
%v33 = add i64 %v29, 3
%v34 = and i64 %v33, -4
%v35 = sub i64 %v34, %v29
%v36 = sub i64 %v30, %v35
%v37 = sub i64 %v31, %v35
%v38 = add i64 %v34, %v32
%v39 = inttoptr i64 %v38 to ptr
%v40 = sub i64 %v9, %v34
%v41 = sub i64 %v36, 127
%v42 = call i64 @llvm.smax.i64(i64 %v41, i64 0)
%v43 = add i64 %v42, 3
%v44 = lshr i64 %v43, 2
%v45 = lshr i64 %v11, 32
%v46 = sub i64 %v45, 16
%v47 = icmp ult i64 %v46, %v21
%v48 = select i1 %v47, i64 %v45, i64 0
%v49 = getelementptr [32 x i8], ptr %v1, i64 %v48
%v50 = getelementptr i8, ptr %v49, i64 0
%v51 = getelementptr i8, ptr %v49, i64 8
%v52 = getelementptr i8, ptr %v49, i64 16
%v53 = getelementptr i8, ptr %v49, i64 24
%v54 = load i64, ptr %v50, align 8, !tbaa !5
%v55 = load i64, ptr %v51, align 8, !tbaa !5
%v56 = load i64, ptr %v52, align 8, !tbaa !5
%v57 = load i64, ptr %v53, align 8, !tbaa !5
%v58 = add i64 %v54, 3
%v59 = and i64 %v58, -4
%v60 = sub i64 %v59, %v54
%v61 = sub i64 %v55, %v60
%v62 = sub i64 %v56, %v60
%v63 = add i64 %v59, %v57
%v64 = inttoptr i64 %v63 to ptr
%v65 = sub i64 %v11, %v59
%v66 = sub i64 %v61, 127
%v67 = call i64 @llvm.smax.i64(i64 %v66, i64 0)
%v68 = add i64 %v67, 3
%v69 = lshr i64 %v68, 2
%v70 = lshr i64 %v13, 32
%v71 = sub i64 %v70, 16
%v72 = icmp ult i64 %v71, %v21
%v73 = select i1 %v72, i64 %v70, i64 0
%v74 = getelementptr [32 x i8], ptr %v1, i64 %v73
%v75 = getelementptr i8, ptr %v74, i64 0
%v76 = getelementptr i8, ptr %v74, i64 8
%v77 = getelementptr i8, ptr %v74, i64 16
%v78 = getelementptr i8, ptr %v74, i64 24
%v79 = load i64, ptr %v75, align 8, !tbaa !5
%v80 = load i64, ptr %v76, align 8, !tbaa !5
%v81 = load i64, ptr %v77, align 8, !tbaa !5
%v82 = load i64, ptr %v78, align 8, !tbaa !5
%v83 = add i64 %v79, 3
%v84 = and i64 %v83, -4
%v85 = sub i64 %v84, %v79
%v86 = sub i64 %v80, %v85
%v87 = sub i64 %v81, %v85
%v88 = add i64 %v84, %v82
%v89 = inttoptr i64 %v88 to ptr
%v90 = sub i64 %v13, %v84
%v91 = sub i64 %v87, 127
%v92 = call i64 @llvm.smax.i64(i64 %v91, i64 0)
%v93 = add i64 %v92, 3
%v94 = lshr i64 %v93, 2
br label %cta
cta:
%begin = phi i32 [ %start, %entry ], [ 0, %beside ]
%v95 = load i32, ptr %v16, align 4, !tbaa !5
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
%v96 = mul i32 %v95, 64
%v97 = add i32 %v96, %first32
%v98 = insertelement <32 x i32> poison, i32 %v97, i32 0
%v99 = shufflevector <32 x i32> %v98, <32 x i32> poison, <32 x i32> zeroinitializer
%v100 = add <32 x i32> %v99, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
%v101 = insertelement <32 x i32> poison, i32 %v15, i32 0
%v102 = shufflevector <32 x i32> %v101, <32 x i32> poison, <32 x i32> zeroinitializer
%v103 = icmp ult <32 x i32> %v100, %v102
%v104 = xor <32 x i1> %v103, splat (i1 true)
%v105 = xor <32 x i1> %v104, splat (i1 true)
store i64 %v9, ptr %r0, align 4
store i64 %v11, ptr %r1, align 4
store i64 %v13, ptr %r2, align 4
store i32 %v97, ptr %r7, align 4
%v106 = xor <32 x i1> %v104, splat (i1 true)
%v107 = load <32 x i1>, ptr %live, align 4
%v108 = xor <32 x i1> %v104, splat (i1 true)
%v109 = and <32 x i1> %v107, %v108
store <32 x i1> %v109, ptr %live, align 4
%v110 = bitcast <32 x i1> %v106 to i32
%v111 = icmp ne i32 %v110, 0
br i1 %v111, label %block1, label %ended
block1:
; 10
%v112 = load <32 x i1>, ptr %live, align 4
%v113 = load i32, ptr %r7, align 4
%v114 = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %v113, i32 31)
%v115 = extractvalue { i32, i1 } %v114, 1
br i1 %v115, label %b116, label %b117, !prof !0
b116:
%v118 = load i64, ptr %r0, align 4
%v119 = load i64, ptr %r1, align 4
%v120 = load i64, ptr %r2, align 4
%v121 = getelementptr i8, ptr %frame, i64 0
store i32 -12, ptr %v121, align 4
%v122 = load <32 x i1>, ptr %live, align 4
%v123 = getelementptr i8, ptr %frame, i64 16
store <32 x i1> %v122, ptr %v123, align 4
%v124 = getelementptr i8, ptr %frame, i64 64
store <32 x i1> %v112, ptr %v124, align 4
%v125 = getelementptr i8, ptr %frame, i64 128
store i64 %v118, ptr %v125, align 4
%v126 = getelementptr i8, ptr %frame, i64 384
store i64 %v119, ptr %v126, align 4
%v127 = getelementptr i8, ptr %frame, i64 640
store i64 %v120, ptr %v127, align 4
%v128 = getelementptr i8, ptr %frame, i64 896
store i32 %v113, ptr %v128, align 4
%v129 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v129, align 4
ret i32 3
b117:
%v130 = zext i32 %v113 to i64
%v131 = mul i64 %v130, 4
%v132 = load i64, ptr %r0, align 4
%v133 = add i64 %v132, %v131
%v134 = load i64, ptr %r1, align 4
%v135 = add i64 %v134, %v131
%v136 = load i64, ptr %r2, align 4
%v137 = add i64 %v136, %v131
%v138 = sub i64 %v133, %v9
%v139 = add i64 %v40, %v138
%v140 = call i64 @llvm.fshr.i64(i64 %v139, i64 %v139, i64 2)
%v141 = icmp ult i64 %v140, %v44
br i1 %v141, label %b142, label %b143, !prof !1
b142:
%v144 = getelementptr i8, ptr %v39, i64 %v139
%v145 = load <32 x i32>, ptr %v144, align 4, !tbaa !6
br label %b146
b143:
%v147 = add i64 %v34, %v139
%v148 = bitcast <32 x i1> %v112 to i32
%v149 = zext i32 %v148 to i64
%v150 = call i1 @openptx.load_span(ptr %w, i64 %v149, i64 60129608705, i64 %first, i64 0, i64 %v147, ptr @span.0)
br i1 %v150, label %failed, label %b151, !prof !0
b151:
%v152 = getelementptr i8, ptr %w, i64 1280
%v153 = load volatile <32 x i32>, ptr %v152, align 4, !tbaa !5
br label %b146
b146:
%v154 = phi <32 x i32> [%v145, %b142], [%v153, %b151]
%v155 = sub i64 %v135, %v11
%v156 = add i64 %v65, %v155
%v157 = call i64 @llvm.fshr.i64(i64 %v156, i64 %v156, i64 2)
%v158 = icmp ult i64 %v157, %v69
br i1 %v158, label %b159, label %b160, !prof !1
b159:
%v161 = getelementptr i8, ptr %v64, i64 %v156
%v162 = load <32 x i32>, ptr %v161, align 4, !tbaa !6
br label %b163
b160:
%v164 = add i64 %v59, %v156
%v165 = bitcast <32 x i1> %v112 to i32
%v166 = zext i32 %v165 to i64
%v167 = call i1 @openptx.load_span(ptr %w, i64 %v166, i64 64424576001, i64 %first, i64 0, i64 %v164, ptr @span.0)
br i1 %v167, label %failed, label %b168, !prof !0
b168:
%v169 = getelementptr i8, ptr %w, i64 1280
%v170 = load volatile <32 x i32>, ptr %v169, align 4, !tbaa !5
br label %b163
b163:
%v171 = phi <32 x i32> [%v162, %b159], [%v170, %b168]
%v172 = bitcast <32 x i32> %v154 to <32 x float>
%v173 = bitcast <32 x i32> %v171 to <32 x float>
%v174 = fadd <32 x float> %v172, %v173
%v175 = bitcast <32 x float> %v174 to <32 x i32>
%v176 = fcmp uno <32 x float> %v174, zeroinitializer
%v177 = select <32 x i1> %v176, <32 x i32> splat (i32 2147483647), <32 x i32> %v175
%v178 = sub i64 %v137, %v13
%v179 = add i64 %v90, %v178
%v180 = call i64 @llvm.fshr.i64(i64 %v179, i64 %v179, i64 2)
%v181 = icmp ult i64 %v180, %v94
br i1 %v181, label %b182, label %b183, !prof !1
b183:
%v184 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v177, ptr %v184, align 4, !tbaa !5
%v185 = add i64 %v84, %v179
%v186 = bitcast <32 x i1> %v112 to i32
%v187 = zext i32 %v186 to i64
%v188 = call i1 @openptx.store_span(ptr %w, i64 %v187, i64 73014510593, i64 %first, i64 0, i64 %v185, ptr @span.0)
br i1 %v188, label %failed, label %b189, !prof !0
b189:
br label %b190
b182:
%v191 = getelementptr i8, ptr %v89, i64 %v179
%v192 = bitcast <32 x i1> %v112 to i32
%v193 = icmp eq i32 %v192, -1
br i1 %v193, label %b194, label %b195, !prof !1
b194:
store <32 x i32> %v177, ptr %v191, align 4, !tbaa !6
br label %b196
b195:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v177, ptr align 4 %v191, <32 x i1> %v112), !tbaa !6
br label %b196
b196:
br label %b190
b190:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v197 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v197, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v198 = icmp ult i32 %next, 2
br i1 %v198, label %ready, label %rest
rest:
%v199 = getelementptr i8, ptr %w, i64 928
%v200 = load i32, ptr %v199, align 4
%v201 = add i32 %v200, -1
store i32 %v201, ptr %v199, align 4
%v202 = getelementptr i8, ptr %w, i64 120
%v203 = load ptr, ptr %v202, align 8
%v204 = getelementptr i8, ptr %v203, i64 16
%v205 = load volatile i32, ptr %v204, align 4
%v206 = icmp ne i32 %v201, 0
%v207 = icmp eq i32 %v205, 0
%v208 = and i1 %v206, %v207
br i1 %v208, label %beside, label %done
done:
ret i32 0
beside:
%v209 = getelementptr i8, ptr %w, i64 64
%v210 = load i32, ptr %v209, align 4
%v211 = add i32 %v210, 1
store i32 %v211, ptr %v209, align 4
%v212 = getelementptr i8, ptr %w, i64 88
%v213 = load i64, ptr %v212, align 4
%v214 = add i64 %v213, 1
store i64 %v214, ptr %v212, align 4
%v215 = getelementptr i8, ptr %w, i64 848
%v216 = load i64, ptr %v215, align 4
%v217 = add i64 %v216, 1
store i64 %v217, ptr %v215, align 4
br label %cta
ready:
br label %warp
}

define internal i1 @span.load.0(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, 0
%one = insertelement <32 x i64> poison, i64 %own, i32 0
%all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
%at = add <32 x i64> %all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
%where = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %at, ptr %where, align 64, !tbaa !5
%bad = call i1 @openptx.load(ptr %w, i64 %lanes, i64 66561, i64 %first, i64 %locals)
ret i1 %bad
}

define internal i1 @span.store.1(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, 0
%one = insertelement <32 x i64> poison, i64 %own, i32 0
%all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
%at = add <32 x i64> %all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
%where = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %at, ptr %where, align 64, !tbaa !5
%bad = call i1 @openptx.store(ptr %w, i64 %lanes, i64 66561, i64 %first, i64 %locals)
ret i1 %bad
}

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
%v119 = insertelement <32 x i64> poison, i64 %v118, i32 0
%v120 = shufflevector <32 x i64> %v119, <32 x i64> poison, <32 x i32> zeroinitializer
%v121 = load i64, ptr %r1, align 4
%v122 = insertelement <32 x i64> poison, i64 %v121, i32 0
%v123 = shufflevector <32 x i64> %v122, <32 x i64> poison, <32 x i32> zeroinitializer
%v124 = load i64, ptr %r2, align 4
%v125 = insertelement <32 x i64> poison, i64 %v124, i32 0
%v126 = shufflevector <32 x i64> %v125, <32 x i64> poison, <32 x i32> zeroinitializer
%v127 = insertelement <32 x i32> poison, i32 %v113, i32 0
%v128 = shufflevector <32 x i32> %v127, <32 x i32> poison, <32 x i32> zeroinitializer
%v129 = add <32 x i32> %v128, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
%v130 = getelementptr i8, ptr %frame, i64 0
store i32 -12, ptr %v130, align 4
%v131 = load <32 x i1>, ptr %live, align 4
%v132 = getelementptr i8, ptr %frame, i64 16
store <32 x i1> %v131, ptr %v132, align 4
%v133 = getelementptr i8, ptr %frame, i64 64
store <32 x i1> %v112, ptr %v133, align 4
%v134 = getelementptr i8, ptr %frame, i64 128
store <32 x i64> %v120, ptr %v134, align 4
%v135 = getelementptr i8, ptr %frame, i64 384
store <32 x i64> %v123, ptr %v135, align 4
%v136 = getelementptr i8, ptr %frame, i64 640
store <32 x i64> %v126, ptr %v136, align 4
%v137 = getelementptr i8, ptr %frame, i64 896
store <32 x i32> %v129, ptr %v137, align 4
%v138 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v138, align 4
ret i32 3
b117:
%v139 = zext i32 %v113 to i64
%v140 = mul i64 %v139, 4
%v141 = load i64, ptr %r0, align 4
%v142 = add i64 %v141, %v140
%v143 = load i64, ptr %r1, align 4
%v144 = add i64 %v143, %v140
%v145 = load i64, ptr %r2, align 4
%v146 = add i64 %v145, %v140
%v147 = sub i64 %v142, %v9
%v148 = add i64 %v40, %v147
%v149 = call i64 @llvm.fshr.i64(i64 %v148, i64 %v148, i64 2)
%v150 = icmp ult i64 %v149, %v44
br i1 %v150, label %b151, label %b152, !prof !1
b151:
%v153 = getelementptr i8, ptr %v39, i64 %v148
%v154 = load <32 x i32>, ptr %v153, align 4, !tbaa !6
br label %b155
b152:
%v156 = bitcast <32 x i1> %v112 to i32
%v157 = zext i32 %v156 to i64
%v158 = call i1 @span.load.0(ptr %w, i64 %v157, i64 %v34, i64 %v148, i64 %first, i64 0)
br i1 %v158, label %b159, label %b160, !prof !0
b159:
%v161 = getelementptr i8, ptr %w, i64 196
store i32 14, ptr %v161, align 4
br label %failed
b160:
%v162 = getelementptr i8, ptr %w, i64 1280
%v163 = load volatile <32 x i32>, ptr %v162, align 4, !tbaa !5
br label %b155
b155:
%v164 = phi <32 x i32> [%v154, %b151], [%v163, %b160]
%v165 = sub i64 %v144, %v11
%v166 = add i64 %v65, %v165
%v167 = call i64 @llvm.fshr.i64(i64 %v166, i64 %v166, i64 2)
%v168 = icmp ult i64 %v167, %v69
br i1 %v168, label %b169, label %b170, !prof !1
b169:
%v171 = getelementptr i8, ptr %v64, i64 %v166
%v172 = load <32 x i32>, ptr %v171, align 4, !tbaa !6
br label %b173
b170:
%v174 = bitcast <32 x i1> %v112 to i32
%v175 = zext i32 %v174 to i64
%v176 = call i1 @span.load.0(ptr %w, i64 %v175, i64 %v59, i64 %v166, i64 %first, i64 0)
br i1 %v176, label %b177, label %b178, !prof !0
b177:
%v179 = getelementptr i8, ptr %w, i64 196
store i32 15, ptr %v179, align 4
br label %failed
b178:
%v180 = getelementptr i8, ptr %w, i64 1280
%v181 = load volatile <32 x i32>, ptr %v180, align 4, !tbaa !5
br label %b173
b173:
%v182 = phi <32 x i32> [%v172, %b169], [%v181, %b178]
%v183 = bitcast <32 x i32> %v164 to <32 x float>
%v184 = bitcast <32 x i32> %v182 to <32 x float>
%v185 = fadd <32 x float> %v183, %v184
%v186 = bitcast <32 x float> %v185 to <32 x i32>
%v187 = fcmp uno <32 x float> %v185, zeroinitializer
%v188 = select <32 x i1> %v187, <32 x i32> splat (i32 2147483647), <32 x i32> %v186
%v189 = sub i64 %v146, %v13
%v190 = add i64 %v90, %v189
%v191 = call i64 @llvm.fshr.i64(i64 %v190, i64 %v190, i64 2)
%v192 = icmp ult i64 %v191, %v94
br i1 %v192, label %b193, label %b194, !prof !1
b194:
%v195 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v188, ptr %v195, align 4, !tbaa !5
%v196 = bitcast <32 x i1> %v112 to i32
%v197 = zext i32 %v196 to i64
%v198 = call i1 @span.store.1(ptr %w, i64 %v197, i64 %v84, i64 %v190, i64 %first, i64 0)
br i1 %v198, label %b199, label %b200, !prof !0
b199:
%v201 = getelementptr i8, ptr %w, i64 196
store i32 17, ptr %v201, align 4
br label %failed
b200:
br label %b202
b193:
%v203 = getelementptr i8, ptr %v89, i64 %v190
%v204 = bitcast <32 x i1> %v112 to i32
%v205 = icmp eq i32 %v204, -1
br i1 %v205, label %b206, label %b207, !prof !1
b206:
store <32 x i32> %v188, ptr %v203, align 4, !tbaa !6
br label %b208
b207:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v188, ptr align 4 %v203, <32 x i1> %v112), !tbaa !6
br label %b208
b208:
br label %b202
b202:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v209 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v209, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v210 = icmp ult i32 %next, 2
br i1 %v210, label %ready, label %rest
rest:
%v211 = getelementptr i8, ptr %w, i64 928
%v212 = load i32, ptr %v211, align 4
%v213 = add i32 %v212, -1
store i32 %v213, ptr %v211, align 4
%v214 = getelementptr i8, ptr %w, i64 120
%v215 = load ptr, ptr %v214, align 8
%v216 = getelementptr i8, ptr %v215, i64 16
%v217 = load volatile i32, ptr %v216, align 4
%v218 = icmp ne i32 %v213, 0
%v219 = icmp eq i32 %v217, 0
%v220 = and i1 %v218, %v219
br i1 %v220, label %beside, label %done
done:
ret i32 0
beside:
%v221 = getelementptr i8, ptr %w, i64 64
%v222 = load i32, ptr %v221, align 4
%v223 = add i32 %v222, 1
store i32 %v223, ptr %v221, align 4
%v224 = getelementptr i8, ptr %w, i64 88
%v225 = load i64, ptr %v224, align 4
%v226 = add i64 %v225, 1
store i64 %v226, ptr %v224, align 4
%v227 = getelementptr i8, ptr %w, i64 848
%v228 = load i64, ptr %v227, align 4
%v229 = add i64 %v228, 1
store i64 %v229, ptr %v227, align 4
br label %cta
ready:
br label %warp
}

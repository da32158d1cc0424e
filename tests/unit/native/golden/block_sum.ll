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

define internal i1 @span.load.1(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, 0
%one = insertelement <32 x i64> poison, i64 %own, i32 0
%all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
%at = add <32 x i64> %all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
%where = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %at, ptr %where, align 64, !tbaa !5
%bad = call i1 @openptx.load(ptr %w, i64 %lanes, i64 66562, i64 %first, i64 %locals)
ret i1 %bad
}

define internal i1 @span.store.2(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
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
%r1 = alloca i32, align 64
%r3 = alloca i64, align 64
%r5 = alloca i32, align 64
%m3 = alloca <32 x i1>, align 4
%m4 = alloca <32 x i1>, align 4
%index.slot = alloca i32
%frame.slot = alloca ptr
%first32.slot = alloca i32
%first.slot = alloca i64
%fuel = alloca i32, align 4
store i32 10922, ptr %fuel, align 4
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
%v38 = getelementptr i8, ptr %w, i64 16
%v39 = load ptr, ptr %v38, align 4, !tbaa !5
%v40 = getelementptr i8, ptr %w, i64 24
%v41 = load i64, ptr %v40, align 4, !tbaa !5
%v42 = sub i64 %v41, 127
%v43 = call i64 @llvm.smax.i64(i64 %v42, i64 0)
%v44 = sub i64 %v30, 127
%v45 = call i64 @llvm.smax.i64(i64 %v44, i64 0)
%v46 = add i64 %v45, 3
%v47 = lshr i64 %v46, 2
br label %warp
warp:
%index = phi i32 [ %start, %entry ], [ %next, %ready ]
%index64 = zext i32 %index to i64
%place = mul i64 %index64, 832
%frame = getelementptr i8, ptr %frames, i64 %place
%first32 = shl i32 %index, 5
%first = zext i32 %first32 to i64
store i32 %index, ptr %index.slot, align 4
store ptr %frame, ptr %frame.slot, align 4
store i32 %first32, ptr %first32.slot, align 4
store i64 %first, ptr %first.slot, align 4
%v48 = load ptr, ptr %frame.slot, align 4
%v49 = getelementptr i8, ptr %v48, i64 0
%v50 = load i32, ptr %v49, align 4
switch i32 %v50, label %begin [ i32 10, label %resume10 ]
begin:
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v51 = load i32, ptr %first32.slot, align 4
%v52 = zext i32 %v51 to i64
%v53 = mul i64 %v52, 4
%v54 = add i64 %v9, %v53
%v55 = sub i64 %v54, %v9
%v56 = add i64 %v33, %v55
%v57 = call i64 @llvm.fshr.i64(i64 %v56, i64 %v56, i64 2)
%v58 = icmp ult i64 %v57, %v37
br i1 %v58, label %b59, label %b60, !prof !1
b59:
%v61 = getelementptr i8, ptr %v32, i64 %v56
%v62 = load <32 x i32>, ptr %v61, align 4, !tbaa !6
br label %b63
b60:
%v64 = zext i32 -1 to i64
%v65 = load i64, ptr %first.slot, align 4
%v66 = call i1 @span.load.0(ptr %w, i64 %v64, i64 %v27, i64 %v56, i64 %v65, i64 0)
br i1 %v66, label %b67, label %b68, !prof !0
b67:
%v69 = getelementptr i8, ptr %w, i64 196
store i32 6, ptr %v69, align 4
br label %failed
b68:
%v70 = getelementptr i8, ptr %w, i64 1280
%v71 = load volatile <32 x i32>, ptr %v70, align 4, !tbaa !5
br label %b63
b63:
%v72 = phi <32 x i32> [%v62, %b59], [%v71, %b68]
%v73 = getelementptr i8, ptr %v39, i64 %v53
store <32 x i32> %v72, ptr %v73, align 4, !tbaa !6
store i64 %v54, ptr %r0, align 4
store i32 %v51, ptr %r1, align 4
store i64 %v53, ptr %r3, align 4
store i32 32, ptr %r5, align 4
br label %block1
block1:
; 9
%v74 = load i32, ptr %fuel, align 4
%v75 = sub i32 %v74, 1
store i32 %v75, ptr %fuel, align 4
%v76 = icmp eq i32 %v75, 0
br i1 %v76, label %b77, label %b78, !prof !0
b77:
store i32 10922, ptr %fuel, align 4
%v79 = call i1 @openptx.poll(ptr %w)
br i1 %v79, label %b80, label %b81, !prof !0
b80:
%v82 = getelementptr i8, ptr %w, i64 196
store i32 9, ptr %v82, align 4
br label %failed
b81:
br label %b78
b78:
%v83 = call i32 @openptx.arrive(ptr %w, i32 0, i32 0, i32 -1, i32 0)
%v84 = load ptr, ptr %frame.slot, align 4
%v85 = getelementptr i8, ptr %v84, i64 0
store i32 10, ptr %v85, align 4
%v86 = getelementptr i8, ptr %v84, i64 8
store i32 0, ptr %v86, align 4
%v87 = getelementptr i8, ptr %v84, i64 12
store i32 %v83, ptr %v87, align 4
%v88 = load <32 x i1>, ptr %live, align 4
%v89 = bitcast <32 x i1> %v88 to i32
%v90 = load i32, ptr %r1, align 4
%v91 = getelementptr i8, ptr %v84, i64 64
store i32 %v90, ptr %v91, align 8
%v92 = load i32, ptr %r5, align 4
%v93 = getelementptr i8, ptr %v84, i64 68
store i32 %v92, ptr %v93, align 8
%v94 = load i64, ptr %r0, align 4
%v95 = getelementptr i8, ptr %v84, i64 72
store i64 %v94, ptr %v95, align 8
%v96 = load i64, ptr %r3, align 4
%v97 = getelementptr i8, ptr %v84, i64 80
store i64 %v96, ptr %v97, align 8
%v98 = load i32, ptr %index.slot, align 4
%v99 = icmp eq i32 %v98, 1
br i1 %v99, label %b100, label %b101
b101:
%v102 = getelementptr i8, ptr %v84, i64 832
%v103 = getelementptr i8, ptr %v102, i64 0
%v104 = load i64, ptr %v103, align 8
%v105 = icmp eq i64 %v104, 10
%v106 = getelementptr i8, ptr %w, i64 264
%v107 = load i32, ptr %v106, align 4
%v108 = getelementptr i8, ptr %v102, i64 12
%v109 = load i32, ptr %v108, align 4
%v110 = icmp ne i32 %v107, %v109
%v111 = and i1 %v105, %v110
br i1 %v111, label %following10, label %onward, !prof !1
b100:
%v112 = getelementptr i8, ptr %frames, i64 0
%v113 = load i64, ptr %v112, align 8
%v114 = icmp eq i64 %v113, 10
%v115 = getelementptr i8, ptr %w, i64 264
%v116 = load i32, ptr %v115, align 4
%v117 = getelementptr i8, ptr %frames, i64 12
%v118 = load i32, ptr %v117, align 4
%v119 = icmp ne i32 %v116, %v118
%v120 = and i1 %v114, %v119
br i1 %v120, label %again10, label %onward, !prof !1
br label %onward
resume10:
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m4, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
%v121 = load ptr, ptr %frame.slot, align 4
%v122 = getelementptr i8, ptr %v121, i64 64
%v123 = load i32, ptr %v122, align 8
store i32 %v123, ptr %r1, align 4
%v124 = getelementptr i8, ptr %v121, i64 68
%v125 = load i32, ptr %v124, align 8
store i32 %v125, ptr %r5, align 4
%v126 = getelementptr i8, ptr %v121, i64 72
%v127 = load i64, ptr %v126, align 8
store i64 %v127, ptr %r0, align 4
%v128 = getelementptr i8, ptr %v121, i64 80
%v129 = load i64, ptr %v128, align 8
store i64 %v129, ptr %r3, align 4
br label %block2
block2:
; 10
%v130 = load i32, ptr %r1, align 4
%v131 = load i32, ptr %r5, align 4
%v132 = insertelement <32 x i32> poison, i32 %v130, i32 0
%v133 = shufflevector <32 x i32> %v132, <32 x i32> poison, <32 x i32> zeroinitializer
%v134 = add <32 x i32> %v133, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
%v135 = insertelement <32 x i32> poison, i32 %v131, i32 0
%v136 = shufflevector <32 x i32> %v135, <32 x i32> poison, <32 x i32> zeroinitializer
%v137 = icmp ult <32 x i32> %v134, %v136
%v138 = xor <32 x i1> %v137, splat (i1 true)
%v139 = xor <32 x i1> %v138, splat (i1 true)
%v140 = xor <32 x i1> %v138, splat (i1 true)
store <32 x i1> %v138, ptr %m4, align 4
store <32 x i1> %v140, ptr %m3, align 4
br label %way0
block3:
; 12
%v141 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v142 = load i32, ptr %r5, align 4
%v143 = zext i32 %v142 to i64
%v144 = mul i64 %v143, 4
%v145 = load i64, ptr %r3, align 4
%v146 = add i64 %v145, %v144
%v147 = icmp ult i64 %v146, %v43
br i1 %v147, label %b148, label %b149, !prof !1
b148:
%v150 = getelementptr i8, ptr %v39, i64 %v146
%v151 = load <32 x i32>, ptr %v150, align 4, !tbaa !6
br label %b152
b149:
%v153 = bitcast <32 x i1> %v141 to i32
%v154 = zext i32 %v153 to i64
%v155 = load i64, ptr %first.slot, align 4
%v156 = call i1 @span.load.1(ptr %w, i64 %v154, i64 0, i64 %v146, i64 %v155, i64 0)
br i1 %v156, label %b157, label %b158, !prof !0
b157:
%v159 = getelementptr i8, ptr %w, i64 196
store i32 14, ptr %v159, align 4
br label %failed
b158:
%v160 = getelementptr i8, ptr %w, i64 1280
%v161 = load volatile <32 x i32>, ptr %v160, align 4, !tbaa !5
br label %b152
b152:
%v162 = phi <32 x i32> [%v151, %b148], [%v161, %b158]
%v163 = getelementptr i8, ptr %v39, i64 %v145
%v164 = load <32 x i32>, ptr %v163, align 4, !tbaa !6
%v165 = add <32 x i32> %v164, %v162
%v166 = getelementptr i8, ptr %v39, i64 %v145
%v167 = bitcast <32 x i1> %v141 to i32
%v168 = icmp eq i32 %v167, -1
br i1 %v168, label %b169, label %b170, !prof !1
b169:
store <32 x i32> %v165, ptr %v166, align 4, !tbaa !6
br label %b171
b170:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v165, ptr align 4 %v166, <32 x i1> %v141), !tbaa !6
br label %b171
b171:
%v172 = load <32 x i1>, ptr %m4, align 4
%v173 = or <32 x i1> %v172, %v141
store <32 x i1> %v173, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v174 = load i32, ptr %r5, align 4
%v175 = lshr i32 %v174, 1
%v176 = icmp ne i32 %v175, 0
%v177 = xor i1 %v176, true
store i32 %v175, ptr %r5, align 4
br i1 %v176, label %b178, label %b179
b178:
br label %block1
b179:
br label %block5
block5:
; 21
%v180 = getelementptr i8, ptr %v39, i64 0
%v181 = load i32, ptr %v180, align 4, !tbaa !6
%v182 = load i64, ptr %r0, align 4
%v183 = sub i64 %v182, %v9
%v184 = add i64 %v33, %v183
%v185 = call i64 @llvm.fshr.i64(i64 %v184, i64 %v184, i64 2)
%v186 = icmp ult i64 %v185, %v47
br i1 %v186, label %b187, label %b188, !prof !1
b188:
%v189 = insertelement <32 x i32> poison, i32 %v181, i32 0
%v190 = shufflevector <32 x i32> %v189, <32 x i32> poison, <32 x i32> zeroinitializer
%v191 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v190, ptr %v191, align 4, !tbaa !5
%v192 = zext i32 -1 to i64
%v193 = load i64, ptr %first.slot, align 4
%v194 = call i1 @span.store.2(ptr %w, i64 %v192, i64 %v27, i64 %v184, i64 %v193, i64 0)
br i1 %v194, label %b195, label %b196, !prof !0
b195:
%v197 = getelementptr i8, ptr %w, i64 196
store i32 22, ptr %v197, align 4
br label %failed
b196:
br label %b198
b187:
%v199 = getelementptr i8, ptr %v32, i64 %v184
%v200 = insertelement <32 x i32> poison, i32 %v181, i32 0
%v201 = shufflevector <32 x i32> %v200, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v201, ptr %v199, align 4, !tbaa !6
br label %b198
b198:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v202 = load <32 x i1>, ptr %m3, align 4
%v203 = bitcast <32 x i1> %v202 to i32
%v204 = icmp ne i32 %v203, 0
br i1 %v204, label %block3, label %block4
ended:
%v205 = load ptr, ptr %frame.slot, align 4
%v206 = getelementptr i8, ptr %v205, i64 0
store i32 -1, ptr %v206, align 4
%v207 = getelementptr i8, ptr %v205, i64 20
%v208 = load i32, ptr %v207, align 4
%v209 = getelementptr i8, ptr %v205, i64 20
store i32 0, ptr %v209, align 4
%v210 = getelementptr i8, ptr %w, i64 152
%v211 = load i64, ptr %v210, align 8
%v212 = zext i32 %v208 to i64
%v213 = sub i64 %v211, %v212
%v214 = getelementptr i8, ptr %w, i64 152
store i64 %v213, ptr %v214, align 8
call void @openptx.settle(ptr %w, i32 0)
%v215 = load i32, ptr %index.slot, align 4
%v216 = icmp eq i32 %v215, 1
br i1 %v216, label %onward, label %b217
b217:
%v218 = getelementptr i8, ptr %v205, i64 832
%v219 = getelementptr i8, ptr %v218, i64 0
%v220 = load i64, ptr %v219, align 8
%v221 = icmp eq i64 %v220, 10
%v222 = getelementptr i8, ptr %w, i64 264
%v223 = load i32, ptr %v222, align 4
%v224 = getelementptr i8, ptr %v218, i64 12
%v225 = load i32, ptr %v224, align 4
%v226 = icmp ne i32 %v223, %v225
%v227 = and i1 %v221, %v226
br i1 %v227, label %following10, label %onward, !prof !1
failed:
%v228 = load i32, ptr %index.slot, align 4
%v229 = getelementptr i8, ptr %w, i64 204
store i32 %v228, ptr %v229, align 4
ret i32 2
onward:
%v230 = load i32, ptr %index.slot, align 4
%v231 = add i32 %v230, 1
%v232 = icmp eq i32 %v231, 2
%next = select i1 %v232, i32 0, i32 %v231
%v233 = zext i32 %next to i64
%v234 = mul i64 %v233, 832
%v235 = getelementptr i8, ptr %frames, i64 %v234
%v236 = getelementptr i8, ptr %v235, i64 0
%v237 = load i32, ptr %v236, align 4
%v238 = icmp eq i32 %v237, -1
%v239 = getelementptr i8, ptr %v235, i64 4
%v240 = load i32, ptr %v239, align 4
%v241 = icmp ne i32 %v240, 0
%v242 = getelementptr i8, ptr %v235, i64 8
%v243 = load i32, ptr %v242, align 4
%v244 = getelementptr i8, ptr %v235, i64 12
%v245 = load i32, ptr %v244, align 4
%v246 = icmp slt i32 %v243, 0
%v247 = select i1 %v246, i32 0, i32 %v243
%v248 = mul i32 0, 32
%v249 = getelementptr i8, ptr %w, i64 264
%v250 = getelementptr i8, ptr %v249, i32 %v248
%v251 = load i32, ptr %v250, align 4
%v252 = icmp ne i32 %v251, %v245
%v253 = or i1 %v246, %v252
%v254 = or i1 %v238, %v241
%v255 = xor i1 %v254, true
%v256 = and i1 %v253, %v255
br i1 %v256, label %ready, label %rest
rest:
%v257 = getelementptr i8, ptr %w, i64 204
store i32 %v230, ptr %v257, align 4
ret i32 5
ready:
br label %warp
following10:
%v258 = load i32, ptr %index.slot, align 4
%v259 = add i32 %v258, 1
%v260 = load ptr, ptr %frame.slot, align 4
%v261 = getelementptr i8, ptr %v260, i64 832
%v262 = shl i32 %v259, 5
%v263 = zext i32 %v262 to i64
store i32 %v259, ptr %index.slot, align 4
store ptr %v261, ptr %frame.slot, align 4
store i32 %v262, ptr %first32.slot, align 4
store i64 %v263, ptr %first.slot, align 4
br label %resume10
again10:
%v264 = shl i32 0, 5
%v265 = zext i32 %v264 to i64
store i32 0, ptr %index.slot, align 4
store ptr %frames, ptr %frame.slot, align 4
store i32 %v264, ptr %first32.slot, align 4
store i64 %v265, ptr %first.slot, align 4
br label %resume10
}

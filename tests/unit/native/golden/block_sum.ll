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
%v64 = add i64 %v27, %v56
%v65 = zext i32 -1 to i64
%v66 = load i64, ptr %first.slot, align 4
%v67 = call i1 @openptx.load_span(ptr %w, i64 %v65, i64 25769870337, i64 %v66, i64 0, i64 %v64, ptr @span.0)
br i1 %v67, label %failed, label %b68, !prof !0
b68:
%v69 = getelementptr i8, ptr %w, i64 1280
%v70 = load volatile <32 x i32>, ptr %v69, align 4, !tbaa !5
br label %b63
b63:
%v71 = phi <32 x i32> [%v62, %b59], [%v70, %b68]
%v72 = getelementptr i8, ptr %v39, i64 %v53
store <32 x i32> %v71, ptr %v72, align 4, !tbaa !6
store i64 %v54, ptr %r0, align 4
store i32 %v51, ptr %r1, align 4
store i64 %v53, ptr %r3, align 4
store i32 32, ptr %r5, align 4
br label %block1
block1:
; 9
%v73 = load i32, ptr %fuel, align 4
%v74 = sub i32 %v73, 1
store i32 %v74, ptr %fuel, align 4
%v75 = icmp eq i32 %v74, 0
br i1 %v75, label %b76, label %b77, !prof !0
b76:
store i32 10922, ptr %fuel, align 4
%v78 = call i1 @openptx.poll(ptr %w)
br i1 %v78, label %b79, label %b80, !prof !0
b79:
%v81 = getelementptr i8, ptr %w, i64 196
store i32 9, ptr %v81, align 4
br label %failed
b80:
br label %b77
b77:
%v82 = call i32 @openptx.arrive(ptr %w, i32 0, i32 0, i32 -1, i32 0)
%v83 = load ptr, ptr %frame.slot, align 4
%v84 = getelementptr i8, ptr %v83, i64 0
store i32 10, ptr %v84, align 4
%v85 = getelementptr i8, ptr %v83, i64 8
store i32 0, ptr %v85, align 4
%v86 = getelementptr i8, ptr %v83, i64 12
store i32 %v82, ptr %v86, align 4
%v87 = load <32 x i1>, ptr %live, align 4
%v88 = bitcast <32 x i1> %v87 to i32
%v89 = load i32, ptr %r1, align 4
%v90 = getelementptr i8, ptr %v83, i64 64
store i32 %v89, ptr %v90, align 8
%v91 = load i32, ptr %r5, align 4
%v92 = getelementptr i8, ptr %v83, i64 68
store i32 %v91, ptr %v92, align 8
%v93 = load i64, ptr %r0, align 4
%v94 = getelementptr i8, ptr %v83, i64 72
store i64 %v93, ptr %v94, align 8
%v95 = load i64, ptr %r3, align 4
%v96 = getelementptr i8, ptr %v83, i64 80
store i64 %v95, ptr %v96, align 8
%v97 = load i32, ptr %index.slot, align 4
%v98 = icmp eq i32 %v97, 1
br i1 %v98, label %b99, label %b100
b100:
%v101 = getelementptr i8, ptr %v83, i64 832
%v102 = getelementptr i8, ptr %v101, i64 0
%v103 = load i64, ptr %v102, align 8
%v104 = icmp eq i64 %v103, 10
%v105 = getelementptr i8, ptr %w, i64 264
%v106 = load i32, ptr %v105, align 4
%v107 = getelementptr i8, ptr %v101, i64 12
%v108 = load i32, ptr %v107, align 4
%v109 = icmp ne i32 %v106, %v108
%v110 = and i1 %v104, %v109
br i1 %v110, label %following10, label %onward, !prof !1
b99:
%v111 = getelementptr i8, ptr %frames, i64 0
%v112 = load i64, ptr %v111, align 8
%v113 = icmp eq i64 %v112, 10
%v114 = getelementptr i8, ptr %w, i64 264
%v115 = load i32, ptr %v114, align 4
%v116 = getelementptr i8, ptr %frames, i64 12
%v117 = load i32, ptr %v116, align 4
%v118 = icmp ne i32 %v115, %v117
%v119 = and i1 %v113, %v118
br i1 %v119, label %again10, label %onward, !prof !1
br label %onward
resume10:
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m4, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
%v120 = load ptr, ptr %frame.slot, align 4
%v121 = getelementptr i8, ptr %v120, i64 64
%v122 = load i32, ptr %v121, align 8
store i32 %v122, ptr %r1, align 4
%v123 = getelementptr i8, ptr %v120, i64 68
%v124 = load i32, ptr %v123, align 8
store i32 %v124, ptr %r5, align 4
%v125 = getelementptr i8, ptr %v120, i64 72
%v126 = load i64, ptr %v125, align 8
store i64 %v126, ptr %r0, align 4
%v127 = getelementptr i8, ptr %v120, i64 80
%v128 = load i64, ptr %v127, align 8
store i64 %v128, ptr %r3, align 4
br label %block2
block2:
; 10
%v129 = load i32, ptr %r1, align 4
%v130 = load i32, ptr %r5, align 4
%v131 = insertelement <32 x i32> poison, i32 %v129, i32 0
%v132 = shufflevector <32 x i32> %v131, <32 x i32> poison, <32 x i32> zeroinitializer
%v133 = add <32 x i32> %v132, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
%v134 = insertelement <32 x i32> poison, i32 %v130, i32 0
%v135 = shufflevector <32 x i32> %v134, <32 x i32> poison, <32 x i32> zeroinitializer
%v136 = icmp ult <32 x i32> %v133, %v135
%v137 = xor <32 x i1> %v136, splat (i1 true)
%v138 = xor <32 x i1> %v137, splat (i1 true)
%v139 = xor <32 x i1> %v137, splat (i1 true)
store <32 x i1> %v137, ptr %m4, align 4
store <32 x i1> %v139, ptr %m3, align 4
br label %way0
block3:
; 12
%v140 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v141 = load i32, ptr %r5, align 4
%v142 = zext i32 %v141 to i64
%v143 = mul i64 %v142, 4
%v144 = load i64, ptr %r3, align 4
%v145 = add i64 %v144, %v143
%v146 = icmp ult i64 %v145, %v43
br i1 %v146, label %b147, label %b148, !prof !1
b147:
%v149 = getelementptr i8, ptr %v39, i64 %v145
%v150 = load <32 x i32>, ptr %v149, align 4, !tbaa !6
br label %b151
b148:
%v152 = add i64 0, %v145
%v153 = bitcast <32 x i1> %v140 to i32
%v154 = zext i32 %v153 to i64
%v155 = load i64, ptr %first.slot, align 4
%v156 = call i1 @openptx.load_span(ptr %w, i64 %v154, i64 60129608706, i64 %v155, i64 0, i64 %v152, ptr @span.0)
br i1 %v156, label %failed, label %b157, !prof !0
b157:
%v158 = getelementptr i8, ptr %w, i64 1280
%v159 = load volatile <32 x i32>, ptr %v158, align 4, !tbaa !5
br label %b151
b151:
%v160 = phi <32 x i32> [%v150, %b147], [%v159, %b157]
%v161 = getelementptr i8, ptr %v39, i64 %v144
%v162 = load <32 x i32>, ptr %v161, align 4, !tbaa !6
%v163 = add <32 x i32> %v162, %v160
%v164 = getelementptr i8, ptr %v39, i64 %v144
%v165 = bitcast <32 x i1> %v140 to i32
%v166 = icmp eq i32 %v165, -1
br i1 %v166, label %b167, label %b168, !prof !1
b167:
store <32 x i32> %v163, ptr %v164, align 4, !tbaa !6
br label %b169
b168:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v163, ptr align 4 %v164, <32 x i1> %v140), !tbaa !6
br label %b169
b169:
%v170 = load <32 x i1>, ptr %m4, align 4
%v171 = or <32 x i1> %v170, %v140
store <32 x i1> %v171, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v172 = load i32, ptr %r5, align 4
%v173 = lshr i32 %v172, 1
%v174 = icmp ne i32 %v173, 0
%v175 = xor i1 %v174, true
store i32 %v173, ptr %r5, align 4
br i1 %v174, label %b176, label %b177
b176:
br label %block1
b177:
br label %block5
block5:
; 21
%v178 = getelementptr i8, ptr %v39, i64 0
%v179 = load i32, ptr %v178, align 4, !tbaa !6
%v180 = load i64, ptr %r0, align 4
%v181 = sub i64 %v180, %v9
%v182 = add i64 %v33, %v181
%v183 = call i64 @llvm.fshr.i64(i64 %v182, i64 %v182, i64 2)
%v184 = icmp ult i64 %v183, %v47
br i1 %v184, label %b185, label %b186, !prof !1
b186:
%v187 = insertelement <32 x i32> poison, i32 %v179, i32 0
%v188 = shufflevector <32 x i32> %v187, <32 x i32> poison, <32 x i32> zeroinitializer
%v189 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v188, ptr %v189, align 4, !tbaa !5
%v190 = add i64 %v27, %v182
%v191 = zext i32 -1 to i64
%v192 = load i64, ptr %first.slot, align 4
%v193 = call i1 @openptx.store_span(ptr %w, i64 %v191, i64 94489347073, i64 %v192, i64 0, i64 %v190, ptr @span.0)
br i1 %v193, label %failed, label %b194, !prof !0
b194:
br label %b195
b185:
%v196 = getelementptr i8, ptr %v32, i64 %v182
%v197 = insertelement <32 x i32> poison, i32 %v179, i32 0
%v198 = shufflevector <32 x i32> %v197, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v198, ptr %v196, align 4, !tbaa !6
br label %b195
b195:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v199 = load <32 x i1>, ptr %m3, align 4
%v200 = bitcast <32 x i1> %v199 to i32
%v201 = icmp ne i32 %v200, 0
br i1 %v201, label %block3, label %block4
ended:
%v202 = load ptr, ptr %frame.slot, align 4
%v203 = getelementptr i8, ptr %v202, i64 0
store i32 -1, ptr %v203, align 4
%v204 = getelementptr i8, ptr %v202, i64 20
%v205 = load i32, ptr %v204, align 4
%v206 = getelementptr i8, ptr %v202, i64 20
store i32 0, ptr %v206, align 4
%v207 = getelementptr i8, ptr %w, i64 152
%v208 = load i64, ptr %v207, align 8
%v209 = zext i32 %v205 to i64
%v210 = sub i64 %v208, %v209
%v211 = getelementptr i8, ptr %w, i64 152
store i64 %v210, ptr %v211, align 8
call void @openptx.settle(ptr %w, i32 0)
%v212 = load i32, ptr %index.slot, align 4
%v213 = icmp eq i32 %v212, 1
br i1 %v213, label %onward, label %b214
b214:
%v215 = getelementptr i8, ptr %v202, i64 832
%v216 = getelementptr i8, ptr %v215, i64 0
%v217 = load i64, ptr %v216, align 8
%v218 = icmp eq i64 %v217, 10
%v219 = getelementptr i8, ptr %w, i64 264
%v220 = load i32, ptr %v219, align 4
%v221 = getelementptr i8, ptr %v215, i64 12
%v222 = load i32, ptr %v221, align 4
%v223 = icmp ne i32 %v220, %v222
%v224 = and i1 %v218, %v223
br i1 %v224, label %following10, label %onward, !prof !1
failed:
%v225 = load i32, ptr %index.slot, align 4
%v226 = getelementptr i8, ptr %w, i64 204
store i32 %v225, ptr %v226, align 4
ret i32 2
onward:
%v227 = load i32, ptr %index.slot, align 4
%v228 = add i32 %v227, 1
%v229 = icmp eq i32 %v228, 2
%next = select i1 %v229, i32 0, i32 %v228
%v230 = zext i32 %next to i64
%v231 = mul i64 %v230, 832
%v232 = getelementptr i8, ptr %frames, i64 %v231
%v233 = getelementptr i8, ptr %v232, i64 0
%v234 = load i32, ptr %v233, align 4
%v235 = icmp eq i32 %v234, -1
%v236 = getelementptr i8, ptr %v232, i64 4
%v237 = load i32, ptr %v236, align 4
%v238 = icmp ne i32 %v237, 0
%v239 = getelementptr i8, ptr %v232, i64 8
%v240 = load i32, ptr %v239, align 4
%v241 = getelementptr i8, ptr %v232, i64 12
%v242 = load i32, ptr %v241, align 4
%v243 = icmp slt i32 %v240, 0
%v244 = select i1 %v243, i32 0, i32 %v240
%v245 = mul i32 0, 32
%v246 = getelementptr i8, ptr %w, i64 264
%v247 = getelementptr i8, ptr %v246, i32 %v245
%v248 = load i32, ptr %v247, align 4
%v249 = icmp ne i32 %v248, %v242
%v250 = or i1 %v243, %v249
%v251 = or i1 %v235, %v238
%v252 = xor i1 %v251, true
%v253 = and i1 %v250, %v252
br i1 %v253, label %ready, label %rest
rest:
%v254 = getelementptr i8, ptr %w, i64 204
store i32 %v227, ptr %v254, align 4
ret i32 5
ready:
br label %warp
following10:
%v255 = load i32, ptr %index.slot, align 4
%v256 = add i32 %v255, 1
%v257 = load ptr, ptr %frame.slot, align 4
%v258 = getelementptr i8, ptr %v257, i64 832
%v259 = shl i32 %v256, 5
%v260 = zext i32 %v259 to i64
store i32 %v256, ptr %index.slot, align 4
store ptr %v258, ptr %frame.slot, align 4
store i32 %v259, ptr %first32.slot, align 4
store i64 %v260, ptr %first.slot, align 4
br label %resume10
again10:
%v261 = shl i32 0, 5
%v262 = zext i32 %v261 to i64
store i32 0, ptr %index.slot, align 4
store ptr %frames, ptr %frame.slot, align 4
store i32 %v261, ptr %first32.slot, align 4
store i64 %v262, ptr %first.slot, align 4
br label %resume10
}

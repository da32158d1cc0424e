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
%v131 = zext i32 %v129 to i64
%v132 = zext i32 %v130 to i64
%v133 = sub i64 %v132, %v131
%v134 = call i64 @llvm.smax.i64(i64 %v133, i64 0)
%v135 = call i64 @llvm.smin.i64(i64 %v134, i64 32)
%v136 = shl i64 -1, %v135
%v137 = trunc i64 %v136 to i32
%v138 = xor i32 %v137, -1
%v139 = bitcast i32 %v138 to <32 x i1>
%v140 = xor <32 x i1> %v139, splat (i1 true)
%v141 = xor <32 x i1> %v140, splat (i1 true)
%v142 = xor <32 x i1> %v140, splat (i1 true)
store <32 x i1> %v140, ptr %m4, align 4
store <32 x i1> %v142, ptr %m3, align 4
br label %way0
block3:
; 12
%v143 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v144 = load i32, ptr %r5, align 4
%v145 = zext i32 %v144 to i64
%v146 = mul i64 %v145, 4
%v147 = load i64, ptr %r3, align 4
%v148 = add i64 %v147, %v146
%v149 = icmp ult i64 %v148, %v43
br i1 %v149, label %b150, label %b151, !prof !1
b150:
%v152 = getelementptr i8, ptr %v39, i64 %v148
%v153 = load <32 x i32>, ptr %v152, align 4, !tbaa !6
br label %b154
b151:
%v155 = add i64 0, %v148
%v156 = bitcast <32 x i1> %v143 to i32
%v157 = zext i32 %v156 to i64
%v158 = load i64, ptr %first.slot, align 4
%v159 = call i1 @openptx.load_span(ptr %w, i64 %v157, i64 60129608706, i64 %v158, i64 0, i64 %v155, ptr @span.0)
br i1 %v159, label %failed, label %b160, !prof !0
b160:
%v161 = getelementptr i8, ptr %w, i64 1280
%v162 = load volatile <32 x i32>, ptr %v161, align 4, !tbaa !5
br label %b154
b154:
%v163 = phi <32 x i32> [%v153, %b150], [%v162, %b160]
%v164 = getelementptr i8, ptr %v39, i64 %v147
%v165 = load <32 x i32>, ptr %v164, align 4, !tbaa !6
%v166 = add <32 x i32> %v165, %v163
%v167 = getelementptr i8, ptr %v39, i64 %v147
%v168 = bitcast <32 x i1> %v143 to i32
%v169 = icmp eq i32 %v168, -1
br i1 %v169, label %b170, label %b171, !prof !1
b170:
store <32 x i32> %v166, ptr %v167, align 4, !tbaa !6
br label %b172
b171:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v166, ptr align 4 %v167, <32 x i1> %v143), !tbaa !6
br label %b172
b172:
%v173 = load <32 x i1>, ptr %m4, align 4
%v174 = or <32 x i1> %v173, %v143
store <32 x i1> %v174, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v175 = load i32, ptr %r5, align 4
%v176 = lshr i32 %v175, 1
%v177 = icmp ne i32 %v176, 0
%v178 = xor i1 %v177, true
store i32 %v176, ptr %r5, align 4
br i1 %v177, label %b179, label %b180
b179:
br label %block1
b180:
br label %block5
block5:
; 21
%v181 = getelementptr i8, ptr %v39, i64 0
%v182 = load i32, ptr %v181, align 4, !tbaa !6
%v183 = load i64, ptr %r0, align 4
%v184 = sub i64 %v183, %v9
%v185 = add i64 %v33, %v184
%v186 = call i64 @llvm.fshr.i64(i64 %v185, i64 %v185, i64 2)
%v187 = icmp ult i64 %v186, %v47
br i1 %v187, label %b188, label %b189, !prof !1
b189:
%v190 = insertelement <32 x i32> poison, i32 %v182, i32 0
%v191 = shufflevector <32 x i32> %v190, <32 x i32> poison, <32 x i32> zeroinitializer
%v192 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v191, ptr %v192, align 4, !tbaa !5
%v193 = add i64 %v27, %v185
%v194 = zext i32 -1 to i64
%v195 = load i64, ptr %first.slot, align 4
%v196 = call i1 @openptx.store_span(ptr %w, i64 %v194, i64 94489347073, i64 %v195, i64 0, i64 %v193, ptr @span.0)
br i1 %v196, label %failed, label %b197, !prof !0
b197:
br label %b198
b188:
%v199 = getelementptr i8, ptr %v32, i64 %v185
%v200 = insertelement <32 x i32> poison, i32 %v182, i32 0
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

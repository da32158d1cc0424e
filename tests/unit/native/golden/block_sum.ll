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
%region = alloca i32
%came = alloca i32
%fuel = alloca i32, align 4
store i32 10922, ptr %fuel, align 4
%v0 = icmp eq i32 %start, 0
%v1 = load i32, ptr %frames, align 4
%v2 = icmp eq i32 %v1, 0
%v3 = and i1 %v0, %v2
%v4 = select i1 %v3, i32 0, i32 -2
store i32 %v4, ptr %came, align 4
store i32 0, ptr %region, align 4
%v5 = getelementptr i8, ptr %w, i64 0
%v6 = load ptr, ptr %v5, align 4, !tbaa !5
%v7 = getelementptr i8, ptr %v6, i64 128
%v8 = load i64, ptr %v7, align 8, !tbaa !5
%v9 = getelementptr i8, ptr %v7, i64 24
%v10 = load i64, ptr %v9, align 8, !tbaa !5
%v11 = add i64 %v8, %v10
%v12 = inttoptr i64 %v11 to ptr
%v13 = getelementptr i8, ptr %v12, i64 0
%v14 = load i64, ptr %v13, align 8, !tbaa !5
%v15 = lshr i64 %v14, 32
%v16 = getelementptr i8, ptr %w, i64 8
%v17 = load i64, ptr %v16, align 4, !tbaa !5
%v18 = sub i64 %v15, 16
%v19 = sub i64 %v17, 16
%v20 = icmp ult i64 %v18, %v19
%v21 = select i1 %v20, i64 %v15, i64 0
%v22 = getelementptr [32 x i8], ptr %v6, i64 %v21
%v23 = getelementptr i8, ptr %v22, i64 0
%v24 = getelementptr i8, ptr %v22, i64 8
%v25 = getelementptr i8, ptr %v22, i64 16
%v26 = getelementptr i8, ptr %v22, i64 24
%v27 = load i64, ptr %v23, align 8, !tbaa !5
%v28 = load i64, ptr %v24, align 8, !tbaa !5
%v29 = load i64, ptr %v25, align 8, !tbaa !5
%v30 = load i64, ptr %v26, align 8, !tbaa !5
%v31 = add i64 %v27, 3
%v32 = and i64 %v31, -4
%v33 = sub i64 %v32, %v27
%v34 = sub i64 %v28, %v33
%v35 = sub i64 %v29, %v33
%v36 = add i64 %v32, %v30
%v37 = inttoptr i64 %v36 to ptr
%v38 = sub i64 %v14, %v32
%v39 = sub i64 %v34, 127
%v40 = call i64 @llvm.smax.i64(i64 %v39, i64 0)
%v41 = add i64 %v40, 3
%v42 = lshr i64 %v41, 2
%v43 = getelementptr i8, ptr %w, i64 16
%v44 = load ptr, ptr %v43, align 4, !tbaa !5
%v45 = getelementptr i8, ptr %w, i64 24
%v46 = load i64, ptr %v45, align 4, !tbaa !5
%v47 = sub i64 %v46, 127
%v48 = call i64 @llvm.smax.i64(i64 %v47, i64 0)
%v49 = sub i64 %v35, 127
%v50 = call i64 @llvm.smax.i64(i64 %v49, i64 0)
%v51 = add i64 %v50, 3
%v52 = lshr i64 %v51, 2
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
%v53 = load ptr, ptr %frame.slot, align 4
%v54 = getelementptr i8, ptr %v53, i64 0
%v55 = load i32, ptr %v54, align 4
switch i32 %v55, label %begin [ i32 10, label %resume10 ]
begin:
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v56 = load i32, ptr %first32.slot, align 4
%v57 = zext i32 %v56 to i64
%v58 = mul i64 %v57, 4
%v59 = add i64 %v14, %v58
%v60 = sub i64 %v59, %v14
%v61 = add i64 %v38, %v60
%v62 = call i64 @llvm.fshr.i64(i64 %v61, i64 %v61, i64 2)
%v63 = icmp ult i64 %v62, %v42
br i1 %v63, label %b64, label %b65, !prof !1
b64:
%v66 = getelementptr i8, ptr %v37, i64 %v61
%v67 = load <32 x i32>, ptr %v66, align 4, !tbaa !6
br label %b68
b65:
%v69 = add i64 %v32, %v61
%v70 = zext i32 -1 to i64
%v71 = load i32, ptr %index.slot, align 4
%v72 = shl i32 %v71, 5
%v73 = zext i32 %v72 to i64
%v74 = call i1 @openptx.load_span(ptr %w, i64 %v70, i64 25769870337, i64 %v73, i64 0, i64 %v69, ptr @span.0)
br i1 %v74, label %failed, label %b75, !prof !0
b75:
%v76 = getelementptr i8, ptr %w, i64 1280
%v77 = load volatile <32 x i32>, ptr %v76, align 4, !tbaa !5
br label %b68
b68:
%v78 = phi <32 x i32> [%v67, %b64], [%v77, %b75]
%v79 = getelementptr i8, ptr %v44, i64 %v58
store <32 x i32> %v78, ptr %v79, align 4, !tbaa !6
store i64 %v59, ptr %r0, align 4
store i32 %v56, ptr %r1, align 4
store i64 %v58, ptr %r3, align 4
store i32 32, ptr %r5, align 4
br label %block1
block1:
; 9
%v80 = load i32, ptr %fuel, align 4
%v81 = sub i32 %v80, 1
store i32 %v81, ptr %fuel, align 4
%v82 = icmp eq i32 %v81, 0
br i1 %v82, label %b83, label %b84, !prof !0
b83:
store i32 10922, ptr %fuel, align 4
%v85 = call i1 @openptx.poll(ptr %w)
br i1 %v85, label %b86, label %b87, !prof !0
b86:
%v88 = getelementptr i8, ptr %w, i64 196
store i32 9, ptr %v88, align 4
br label %failed
b87:
br label %b84
b84:
%v89 = load <32 x i1>, ptr %live, align 4
%v90 = bitcast <32 x i1> %v89 to i32
%v91 = load i32, ptr %r1, align 4
%v92 = load ptr, ptr %frame.slot, align 4
%v93 = getelementptr i8, ptr %v92, i64 64
store i32 %v91, ptr %v93, align 8
%v94 = load i32, ptr %r5, align 4
%v95 = getelementptr i8, ptr %v92, i64 68
store i32 %v94, ptr %v95, align 8
%v96 = load i64, ptr %r0, align 4
%v97 = getelementptr i8, ptr %v92, i64 72
store i64 %v96, ptr %v97, align 8
%v98 = load i64, ptr %r3, align 4
%v99 = getelementptr i8, ptr %v92, i64 80
store i64 %v98, ptr %v99, align 8
%v100 = load i32, ptr %index.slot, align 4
%v101 = load i32, ptr %came, align 4
%v102 = icmp eq i32 %v101, 0
%v103 = icmp eq i32 %v101, 10
%v104 = or i1 %v102, %v103
br i1 %v104, label %b105, label %b106, !prof !1
b105:
%v107 = icmp eq i32 %v100, 1
br i1 %v107, label %b108, label %b109
b109:
store i32 10, ptr %came, align 4
br label %next0
b108:
br label %again10
b106:
%v110 = getelementptr i8, ptr %v92, i64 0
store i32 10, ptr %v110, align 4
%v111 = getelementptr i8, ptr %v92, i64 8
store i32 0, ptr %v111, align 4
br label %arrives
resume10:
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m4, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
%v112 = load ptr, ptr %frame.slot, align 4
%v113 = getelementptr i8, ptr %v112, i64 64
%v114 = load i32, ptr %v113, align 8
store i32 %v114, ptr %r1, align 4
%v115 = getelementptr i8, ptr %v112, i64 68
%v116 = load i32, ptr %v115, align 8
store i32 %v116, ptr %r5, align 4
%v117 = getelementptr i8, ptr %v112, i64 72
%v118 = load i64, ptr %v117, align 8
store i64 %v118, ptr %r0, align 4
%v119 = getelementptr i8, ptr %v112, i64 80
%v120 = load i64, ptr %v119, align 8
store i64 %v120, ptr %r3, align 4
br label %block2
block2:
; 10
%v121 = load i32, ptr %r1, align 4
%v122 = load i32, ptr %r5, align 4
%v123 = zext i32 %v121 to i64
%v124 = zext i32 %v122 to i64
%v125 = sub i64 %v124, %v123
%v126 = call i64 @llvm.smax.i64(i64 %v125, i64 0)
%v127 = call i64 @llvm.smin.i64(i64 %v126, i64 32)
%v128 = shl i64 -1, %v127
%v129 = trunc i64 %v128 to i32
%v130 = xor i32 %v129, -1
%v131 = bitcast i32 %v130 to <32 x i1>
%v132 = xor <32 x i1> %v131, splat (i1 true)
%v133 = xor <32 x i1> %v132, splat (i1 true)
%v134 = xor <32 x i1> %v132, splat (i1 true)
store <32 x i1> %v132, ptr %m4, align 4
store <32 x i1> %v134, ptr %m3, align 4
br label %way0
block3:
; 12
%v135 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v136 = load i32, ptr %r5, align 4
%v137 = zext i32 %v136 to i64
%v138 = mul i64 %v137, 4
%v139 = load i64, ptr %r3, align 4
%v140 = add i64 %v139, %v138
%v141 = icmp ult i64 %v140, %v48
br i1 %v141, label %b142, label %b143, !prof !1
b142:
%v144 = getelementptr i8, ptr %v44, i64 %v140
%v145 = load <32 x i32>, ptr %v144, align 4, !tbaa !6
br label %b146
b143:
%v147 = add i64 0, %v140
%v148 = bitcast <32 x i1> %v135 to i32
%v149 = zext i32 %v148 to i64
%v150 = load i32, ptr %index.slot, align 4
%v151 = shl i32 %v150, 5
%v152 = zext i32 %v151 to i64
%v153 = call i1 @openptx.load_span(ptr %w, i64 %v149, i64 60129608706, i64 %v152, i64 0, i64 %v147, ptr @span.0)
br i1 %v153, label %failed, label %b154, !prof !0
b154:
%v155 = getelementptr i8, ptr %w, i64 1280
%v156 = load volatile <32 x i32>, ptr %v155, align 4, !tbaa !5
br label %b146
b146:
%v157 = phi <32 x i32> [%v145, %b142], [%v156, %b154]
%v158 = getelementptr i8, ptr %v44, i64 %v139
%v159 = load <32 x i32>, ptr %v158, align 4, !tbaa !6
%v160 = add <32 x i32> %v159, %v157
%v161 = getelementptr i8, ptr %v44, i64 %v139
%v162 = bitcast <32 x i1> %v135 to i32
%v163 = icmp eq i32 %v162, -1
br i1 %v163, label %b164, label %b165, !prof !1
b164:
store <32 x i32> %v160, ptr %v161, align 4, !tbaa !6
br label %b166
b165:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v160, ptr align 4 %v161, <32 x i1> %v135), !tbaa !6
br label %b166
b166:
%v167 = load <32 x i1>, ptr %m4, align 4
%v168 = or <32 x i1> %v167, %v135
store <32 x i1> %v168, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v169 = load i32, ptr %r5, align 4
%v170 = lshr i32 %v169, 1
%v171 = icmp ne i32 %v170, 0
%v172 = xor i1 %v171, true
store i32 %v170, ptr %r5, align 4
br i1 %v171, label %b173, label %b174
b173:
br label %block1
b174:
br label %block5
block5:
; 21
%v175 = getelementptr i8, ptr %v44, i64 0
%v176 = load i32, ptr %v175, align 4, !tbaa !6
%v177 = load i64, ptr %r0, align 4
%v178 = sub i64 %v177, %v14
%v179 = add i64 %v38, %v178
%v180 = call i64 @llvm.fshr.i64(i64 %v179, i64 %v179, i64 2)
%v181 = icmp ult i64 %v180, %v52
br i1 %v181, label %b182, label %b183, !prof !1
b183:
%v184 = insertelement <32 x i32> poison, i32 %v176, i32 0
%v185 = shufflevector <32 x i32> %v184, <32 x i32> poison, <32 x i32> zeroinitializer
%v186 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v185, ptr %v186, align 4, !tbaa !5
%v187 = add i64 %v32, %v179
%v188 = zext i32 -1 to i64
%v189 = load i32, ptr %index.slot, align 4
%v190 = shl i32 %v189, 5
%v191 = zext i32 %v190 to i64
%v192 = call i1 @openptx.store_span(ptr %w, i64 %v188, i64 94489347073, i64 %v191, i64 0, i64 %v187, ptr @span.0)
br i1 %v192, label %failed, label %b193, !prof !0
b193:
br label %b194
b182:
%v195 = getelementptr i8, ptr %v37, i64 %v179
%v196 = insertelement <32 x i32> poison, i32 %v176, i32 0
%v197 = shufflevector <32 x i32> %v196, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v197, ptr %v195, align 4, !tbaa !6
br label %b194
b194:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v198 = load <32 x i1>, ptr %m3, align 4
%v199 = bitcast <32 x i1> %v198 to i32
%v200 = icmp ne i32 %v199, 0
br i1 %v200, label %block3, label %block4
ended:
%v201 = load ptr, ptr %frame.slot, align 4
%v202 = getelementptr i8, ptr %v201, i64 0
store i32 -1, ptr %v202, align 4
%v203 = getelementptr i8, ptr %v201, i64 20
%v204 = load i32, ptr %v203, align 4
%v205 = getelementptr i8, ptr %v201, i64 20
store i32 0, ptr %v205, align 4
%v206 = getelementptr i8, ptr %w, i64 152
%v207 = load i64, ptr %v206, align 8
%v208 = zext i32 %v204 to i64
%v209 = sub i64 %v207, %v208
%v210 = getelementptr i8, ptr %w, i64 152
store i64 %v209, ptr %v210, align 8
%v211 = load i32, ptr %index.slot, align 4
%v212 = load i32, ptr %came, align 4
%v213 = icmp eq i32 %v212, 0
%v214 = icmp eq i32 %v212, -1
%v215 = or i1 %v213, %v214
br i1 %v215, label %b216, label %b217, !prof !1
b216:
%v218 = icmp eq i32 %v211, 1
br i1 %v218, label %b219, label %b220
b220:
store i32 -1, ptr %came, align 4
br label %next1
b219:
br label %onward
b217:
%v221 = load i32, ptr %came, align 4
%v222 = load i32, ptr %region, align 4
call void @openptx.note_warps(ptr %w, i32 %v211, i32 %v221, i32 0, i32 %v222, i32 0)
store i32 -2, ptr %came, align 4
call void @openptx.settle(ptr %w, i32 0)
br label %onward
failed:
%v223 = load i32, ptr %index.slot, align 4
%v224 = getelementptr i8, ptr %w, i64 204
store i32 %v223, ptr %v224, align 4
ret i32 2
arrives:
%v225 = load i32, ptr %came, align 4
%v226 = load i32, ptr %region, align 4
%v227 = load i32, ptr %index.slot, align 4
call void @openptx.note_warps(ptr %w, i32 %v227, i32 %v225, i32 0, i32 %v226, i32 0)
store i32 -2, ptr %came, align 4
%v228 = load <32 x i1>, ptr %live, align 4
%v229 = bitcast <32 x i1> %v228 to i32
%v230 = load ptr, ptr %frame.slot, align 4
%v231 = getelementptr i8, ptr %v230, i64 8
%v232 = load i32, ptr %v231, align 4
%v233 = call i32 @openptx.arrive(ptr %w, i32 %v232, i32 0, i32 %v229, i32 0)
%v234 = getelementptr i8, ptr %v230, i64 12
store i32 %v233, ptr %v234, align 4
br label %onward
onward:
%v235 = load i32, ptr %index.slot, align 4
%v236 = add i32 %v235, 1
%v237 = icmp eq i32 %v236, 2
%next = select i1 %v237, i32 0, i32 %v236
%v238 = zext i32 %next to i64
%v239 = mul i64 %v238, 832
%v240 = getelementptr i8, ptr %frames, i64 %v239
%v241 = getelementptr i8, ptr %v240, i64 0
%v242 = load i32, ptr %v241, align 4
%v243 = icmp eq i32 %v242, -1
%v244 = getelementptr i8, ptr %v240, i64 4
%v245 = load i32, ptr %v244, align 4
%v246 = icmp ne i32 %v245, 0
%v247 = getelementptr i8, ptr %v240, i64 8
%v248 = load i32, ptr %v247, align 4
%v249 = getelementptr i8, ptr %v240, i64 12
%v250 = load i32, ptr %v249, align 4
%v251 = icmp slt i32 %v248, 0
%v252 = select i1 %v251, i32 0, i32 %v248
%v253 = mul i32 0, 32
%v254 = getelementptr i8, ptr %w, i64 264
%v255 = getelementptr i8, ptr %v254, i32 %v253
%v256 = load i32, ptr %v255, align 4
%v257 = icmp ne i32 %v256, %v250
%v258 = or i1 %v251, %v257
%v259 = or i1 %v243, %v246
%v260 = xor i1 %v259, true
%v261 = and i1 %v258, %v260
br i1 %v261, label %ready, label %rest
rest:
%v262 = getelementptr i8, ptr %w, i64 204
store i32 %v235, ptr %v262, align 4
ret i32 5
ready:
br label %warp
next0:
%v263 = load i32, ptr %region, align 4
%v264 = icmp eq i32 %v263, 10
br i1 %v264, label %following10, label %b265
b265:
br label %following0
next1:
br label %following10
following10:
%v266 = load i32, ptr %index.slot, align 4
%v267 = add i32 %v266, 1
%v268 = load ptr, ptr %frame.slot, align 4
%v269 = getelementptr i8, ptr %v268, i64 832
%v270 = shl i32 %v267, 5
%v271 = zext i32 %v270 to i64
store i32 %v267, ptr %index.slot, align 4
store ptr %v269, ptr %frame.slot, align 4
store i32 %v270, ptr %first32.slot, align 4
br label %resume10
following0:
%v272 = load i32, ptr %index.slot, align 4
%v273 = add i32 %v272, 1
%v274 = load ptr, ptr %frame.slot, align 4
%v275 = getelementptr i8, ptr %v274, i64 832
%v276 = shl i32 %v273, 5
%v277 = zext i32 %v276 to i64
store i32 %v273, ptr %index.slot, align 4
store ptr %v275, ptr %frame.slot, align 4
store i32 %v276, ptr %first32.slot, align 4
br label %begin
again10:
store i32 0, ptr %came, align 4
store i32 10, ptr %region, align 4
%v278 = shl i32 0, 5
%v279 = zext i32 %v278 to i64
store i32 0, ptr %index.slot, align 4
store ptr %frames, ptr %frame.slot, align 4
store i32 %v278, ptr %first32.slot, align 4
br label %resume10
}

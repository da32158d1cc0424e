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
%v15 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v14, i64 4, i64 1, ptr %v15)
%v16 = getelementptr i8, ptr %v15, i64 0
%v17 = getelementptr i8, ptr %v15, i64 8
%v18 = getelementptr i8, ptr %v15, i64 16
%v19 = getelementptr i8, ptr %v15, i64 24
%v20 = load i64, ptr %v16, align 8, !tbaa !5
%v21 = load i64, ptr %v17, align 8, !tbaa !5
%v22 = load i64, ptr %v18, align 8, !tbaa !5
%v23 = load i64, ptr %v19, align 8, !tbaa !5
%v24 = inttoptr i64 %v23 to ptr
%v25 = sub i64 %v14, %v20
%v26 = sub i64 %v21, 127
%v27 = call i64 @llvm.smax.i64(i64 %v26, i64 0)
%v28 = add i64 %v27, 3
%v29 = lshr i64 %v28, 2
%v30 = getelementptr i8, ptr %w, i64 16
%v31 = load ptr, ptr %v30, align 4, !tbaa !5
%v32 = getelementptr i8, ptr %w, i64 24
%v33 = load i64, ptr %v32, align 4, !tbaa !5
%v34 = sub i64 %v33, 127
%v35 = call i64 @llvm.smax.i64(i64 %v34, i64 0)
%v36 = sub i64 %v22, 127
%v37 = call i64 @llvm.smax.i64(i64 %v36, i64 0)
%v38 = add i64 %v37, 3
%v39 = lshr i64 %v38, 2
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
%v40 = load ptr, ptr %frame.slot, align 4
%v41 = getelementptr i8, ptr %v40, i64 0
%v42 = load i32, ptr %v41, align 4
switch i32 %v42, label %begin [ i32 10, label %resume10 ]
begin:
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v43 = load i32, ptr %first32.slot, align 4
%v44 = zext i32 %v43 to i64
%v45 = mul i64 %v44, 4
%v46 = add i64 %v14, %v45
%v47 = sub i64 %v46, %v14
%v48 = add i64 %v25, %v47
%v49 = call i64 @llvm.fshr.i64(i64 %v48, i64 %v48, i64 2)
%v50 = icmp ult i64 %v49, %v29
br i1 %v50, label %b51, label %b52, !prof !1
b52:
%v53 = add i64 %v20, %v48
%v54 = zext i32 -1 to i64
%v55 = load i32, ptr %index.slot, align 4
%v56 = shl i32 %v55, 5
%v57 = zext i32 %v56 to i64
%v58 = call i1 @openptx.load_span(ptr %w, i64 %v54, i64 25769870337, i64 %v57, i64 0, i64 %v53, ptr @span.0)
br i1 %v58, label %failed, label %b59, !prof !0
b59:
%v60 = getelementptr i8, ptr %w, i64 1280
%v61 = load volatile <32 x i32>, ptr %v60, align 4, !tbaa !5
br label %b62
b51:
%v63 = getelementptr i8, ptr %v24, i64 %v48
%v64 = load <32 x i32>, ptr %v63, align 4, !tbaa !6
br label %b62
b62:
%v65 = phi <32 x i32> [%v64, %b51], [%v61, %b59]
%v66 = getelementptr i8, ptr %v31, i64 %v45
store <32 x i32> %v65, ptr %v66, align 4, !tbaa !6
store i64 %v46, ptr %r0, align 4
store i32 %v43, ptr %r1, align 4
store i64 %v45, ptr %r3, align 4
store i32 32, ptr %r5, align 4
br label %block1
block1:
; 9
%v67 = load i32, ptr %fuel, align 4
%v68 = sub i32 %v67, 1
store i32 %v68, ptr %fuel, align 4
%v69 = icmp eq i32 %v68, 0
br i1 %v69, label %b70, label %b71, !prof !0
b70:
store i32 10922, ptr %fuel, align 4
%v72 = call i1 @openptx.poll(ptr %w)
br i1 %v72, label %b73, label %b74, !prof !0
b73:
%v75 = bitcast <32 x i1> splat (i1 true) to i32
%v76 = getelementptr i8, ptr %w, i64 200
store i32 %v75, ptr %v76, align 4
%v77 = getelementptr i8, ptr %w, i64 196
store i32 9, ptr %v77, align 4
br label %failed
b74:
br label %b71
b71:
%v78 = load <32 x i1>, ptr %live, align 4
%v79 = bitcast <32 x i1> %v78 to i32
%v80 = load i32, ptr %r1, align 4
%v81 = load ptr, ptr %frame.slot, align 4
%v82 = getelementptr i8, ptr %v81, i64 64
store i32 %v80, ptr %v82, align 8
%v83 = load i32, ptr %r5, align 4
%v84 = getelementptr i8, ptr %v81, i64 68
store i32 %v83, ptr %v84, align 8
%v85 = load i64, ptr %r0, align 4
%v86 = getelementptr i8, ptr %v81, i64 72
store i64 %v85, ptr %v86, align 8
%v87 = load i64, ptr %r3, align 4
%v88 = getelementptr i8, ptr %v81, i64 80
store i64 %v87, ptr %v88, align 8
%v89 = load i32, ptr %index.slot, align 4
%v90 = load i32, ptr %came, align 4
%v91 = icmp eq i32 %v90, 0
%v92 = icmp eq i32 %v90, 10
%v93 = or i1 %v91, %v92
br i1 %v93, label %b94, label %b95, !prof !1
b94:
%v96 = icmp eq i32 %v89, 1
br i1 %v96, label %b97, label %b98
b98:
store i32 10, ptr %came, align 4
br label %next0
b97:
br label %again10
b95:
%v99 = getelementptr i8, ptr %v81, i64 0
store i32 10, ptr %v99, align 4
%v100 = getelementptr i8, ptr %v81, i64 8
store i32 0, ptr %v100, align 4
br label %arrives
resume10:
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m4, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
%v101 = load ptr, ptr %frame.slot, align 4
%v102 = getelementptr i8, ptr %v101, i64 64
%v103 = load i32, ptr %v102, align 8
store i32 %v103, ptr %r1, align 4
%v104 = getelementptr i8, ptr %v101, i64 68
%v105 = load i32, ptr %v104, align 8
store i32 %v105, ptr %r5, align 4
%v106 = getelementptr i8, ptr %v101, i64 72
%v107 = load i64, ptr %v106, align 8
store i64 %v107, ptr %r0, align 4
%v108 = getelementptr i8, ptr %v101, i64 80
%v109 = load i64, ptr %v108, align 8
store i64 %v109, ptr %r3, align 4
br label %block2
block2:
; 10
%v110 = load i32, ptr %r1, align 4
%v111 = load i32, ptr %r5, align 4
%v112 = zext i32 %v110 to i64
%v113 = zext i32 %v111 to i64
%v114 = add i64 %v112, 32
%v115 = sub i64 %v114, %v113
%v116 = call i64 @llvm.smax.i64(i64 %v115, i64 0)
%v117 = call i64 @llvm.smin.i64(i64 %v116, i64 32)
%v118 = lshr i64 4294967295, %v117
%v119 = trunc i64 %v118 to i32
%v120 = bitcast i32 %v119 to <32 x i1>
%v121 = xor <32 x i1> %v120, splat (i1 true)
%v122 = xor <32 x i1> %v121, splat (i1 true)
%v123 = xor <32 x i1> %v121, splat (i1 true)
store <32 x i1> %v121, ptr %m4, align 4
store <32 x i1> %v123, ptr %m3, align 4
br label %way0
block3:
; 12
%v124 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v125 = load i32, ptr %r5, align 4
%v126 = zext i32 %v125 to i64
%v127 = mul i64 %v126, 4
%v128 = load i64, ptr %r3, align 4
%v129 = add i64 %v128, %v127
%v130 = icmp ult i64 %v129, %v35
br i1 %v130, label %b131, label %b132, !prof !1
b132:
%v133 = add i64 0, %v129
%v134 = bitcast <32 x i1> %v124 to i32
%v135 = zext i32 %v134 to i64
%v136 = load i32, ptr %index.slot, align 4
%v137 = shl i32 %v136, 5
%v138 = zext i32 %v137 to i64
%v139 = call i1 @openptx.load_span(ptr %w, i64 %v135, i64 60129608706, i64 %v138, i64 0, i64 %v133, ptr @span.0)
br i1 %v139, label %failed, label %b140, !prof !0
b140:
%v141 = getelementptr i8, ptr %w, i64 1280
%v142 = load volatile <32 x i32>, ptr %v141, align 4, !tbaa !5
br label %b143
b131:
%v144 = getelementptr i8, ptr %v31, i64 %v129
%v145 = load <32 x i32>, ptr %v144, align 4, !tbaa !6
br label %b143
b143:
%v146 = phi <32 x i32> [%v145, %b131], [%v142, %b140]
%v147 = getelementptr i8, ptr %v31, i64 %v128
%v148 = load <32 x i32>, ptr %v147, align 4, !tbaa !6
%v149 = add <32 x i32> %v148, %v146
%v150 = getelementptr i8, ptr %v31, i64 %v128
%v151 = bitcast <32 x i1> %v124 to i32
%v152 = icmp eq i32 %v151, -1
br i1 %v152, label %b153, label %b154, !prof !1
b153:
store <32 x i32> %v149, ptr %v150, align 4, !tbaa !6
br label %b155
b154:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v149, ptr align 4 %v150, <32 x i1> %v124), !tbaa !6
br label %b155
b155:
%v156 = load <32 x i1>, ptr %m4, align 4
%v157 = or <32 x i1> %v156, %v124
store <32 x i1> %v157, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v158 = load i32, ptr %r5, align 4
%v159 = lshr i32 %v158, 1
%v160 = icmp ne i32 %v159, 0
%v161 = xor i1 %v160, true
store i32 %v159, ptr %r5, align 4
br i1 %v160, label %b162, label %b163
b162:
br label %block1
b163:
br label %block5
block5:
; 21
%v164 = getelementptr i8, ptr %v31, i64 0
%v165 = load i32, ptr %v164, align 4, !tbaa !6
%v166 = load i64, ptr %r0, align 4
%v167 = sub i64 %v166, %v14
%v168 = add i64 %v25, %v167
%v169 = call i64 @llvm.fshr.i64(i64 %v168, i64 %v168, i64 2)
%v170 = icmp ult i64 %v169, %v39
br i1 %v170, label %b171, label %b172, !prof !1
b172:
%v173 = insertelement <32 x i32> poison, i32 %v165, i32 0
%v174 = shufflevector <32 x i32> %v173, <32 x i32> poison, <32 x i32> zeroinitializer
%v175 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v174, ptr %v175, align 4, !tbaa !5
%v176 = add i64 %v20, %v168
%v177 = zext i32 -1 to i64
%v178 = load i32, ptr %index.slot, align 4
%v179 = shl i32 %v178, 5
%v180 = zext i32 %v179 to i64
%v181 = call i1 @openptx.store_span(ptr %w, i64 %v177, i64 94489347073, i64 %v180, i64 0, i64 %v176, ptr @span.0)
br i1 %v181, label %failed, label %b182, !prof !0
b182:
br label %b183
b171:
%v184 = getelementptr i8, ptr %v24, i64 %v168
%v185 = insertelement <32 x i32> poison, i32 %v165, i32 0
%v186 = shufflevector <32 x i32> %v185, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v186, ptr %v184, align 4, !tbaa !6
br label %b183
b183:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v187 = load <32 x i1>, ptr %m3, align 4
%v188 = bitcast <32 x i1> %v187 to i32
%v189 = icmp ne i32 %v188, 0
br i1 %v189, label %block3, label %block4
ended:
%v190 = load ptr, ptr %frame.slot, align 4
%v191 = getelementptr i8, ptr %v190, i64 0
store i32 -1, ptr %v191, align 4
%v192 = getelementptr i8, ptr %v190, i64 20
%v193 = load i32, ptr %v192, align 4
%v194 = getelementptr i8, ptr %v190, i64 20
store i32 0, ptr %v194, align 4
%v195 = getelementptr i8, ptr %w, i64 152
%v196 = load i64, ptr %v195, align 8
%v197 = zext i32 %v193 to i64
%v198 = sub i64 %v196, %v197
%v199 = getelementptr i8, ptr %w, i64 152
store i64 %v198, ptr %v199, align 8
%v200 = load i32, ptr %index.slot, align 4
%v201 = load i32, ptr %came, align 4
%v202 = icmp eq i32 %v201, 0
%v203 = icmp eq i32 %v201, -1
%v204 = or i1 %v202, %v203
br i1 %v204, label %b205, label %b206, !prof !1
b205:
%v207 = icmp eq i32 %v200, 1
br i1 %v207, label %b208, label %b209
b209:
store i32 -1, ptr %came, align 4
br label %next1
b208:
br label %onward
b206:
%v210 = load i32, ptr %came, align 4
%v211 = load i32, ptr %region, align 4
call void @openptx.note_warps(ptr %w, i32 %v200, i32 %v210, i32 0, i32 %v211, i32 0)
store i32 -2, ptr %came, align 4
call void @openptx.ended(ptr %w, i64 0)
br label %onward
failed:
%v212 = load i32, ptr %index.slot, align 4
%v213 = getelementptr i8, ptr %w, i64 204
store i32 %v212, ptr %v213, align 4
ret i32 2
arrives:
%v214 = load i32, ptr %came, align 4
%v215 = load i32, ptr %region, align 4
%v216 = load i32, ptr %index.slot, align 4
call void @openptx.note_warps(ptr %w, i32 %v216, i32 %v214, i32 0, i32 %v215, i32 0)
store i32 -2, ptr %came, align 4
%v217 = load <32 x i1>, ptr %live, align 4
%v218 = bitcast <32 x i1> %v217 to i32
%v219 = load ptr, ptr %frame.slot, align 4
%v220 = getelementptr i8, ptr %v219, i64 8
%v221 = load i32, ptr %v220, align 4
%v222 = zext i32 %v221 to i64
%v223 = zext i32 %v218 to i64
%v224 = call i32 @openptx.come(ptr %w, i64 %v222, i64 %v223)
%v225 = getelementptr i8, ptr %v219, i64 12
store i32 %v224, ptr %v225, align 4
br label %onward
onward:
%v226 = load i32, ptr %index.slot, align 4
%v227 = zext i32 %v226 to i64
%v228 = call i64 @openptx.next_warp(ptr %w, i64 %v227)
%next = trunc i64 %v228 to i32
%v229 = icmp slt i64 %v228, 0
br i1 %v229, label %rest, label %ready
rest:
%v230 = getelementptr i8, ptr %w, i64 204
store i32 %v226, ptr %v230, align 4
ret i32 5
ready:
br label %warp
next0:
%v231 = load i32, ptr %region, align 4
%v232 = icmp eq i32 %v231, 10
br i1 %v232, label %following10, label %b233
b233:
br label %following0
next1:
br label %following10
following10:
%v234 = load i32, ptr %index.slot, align 4
%v235 = add i32 %v234, 1
%v236 = load ptr, ptr %frame.slot, align 4
%v237 = getelementptr i8, ptr %v236, i64 832
%v238 = shl i32 %v235, 5
%v239 = zext i32 %v238 to i64
store i32 %v235, ptr %index.slot, align 4
store ptr %v237, ptr %frame.slot, align 4
store i32 %v238, ptr %first32.slot, align 4
br label %resume10
following0:
%v240 = load i32, ptr %index.slot, align 4
%v241 = add i32 %v240, 1
%v242 = load ptr, ptr %frame.slot, align 4
%v243 = getelementptr i8, ptr %v242, i64 832
%v244 = shl i32 %v241, 5
%v245 = zext i32 %v244 to i64
store i32 %v241, ptr %index.slot, align 4
store ptr %v243, ptr %frame.slot, align 4
store i32 %v244, ptr %first32.slot, align 4
br label %begin
again10:
store i32 0, ptr %came, align 4
store i32 10, ptr %region, align 4
%v246 = shl i32 0, 5
%v247 = zext i32 %v246 to i64
store i32 0, ptr %index.slot, align 4
store ptr %frames, ptr %frame.slot, align 4
store i32 %v246, ptr %first32.slot, align 4
br label %resume10
}

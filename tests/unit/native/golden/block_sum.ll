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
b51:
%v53 = getelementptr i8, ptr %v24, i64 %v48
%v54 = load <32 x i32>, ptr %v53, align 4, !tbaa !6
br label %b55
b52:
%v56 = add i64 %v20, %v48
%v57 = zext i32 -1 to i64
%v58 = load i32, ptr %index.slot, align 4
%v59 = shl i32 %v58, 5
%v60 = zext i32 %v59 to i64
%v61 = call i1 @openptx.load_span(ptr %w, i64 %v57, i64 25769870337, i64 %v60, i64 0, i64 %v56, ptr @span.0)
br i1 %v61, label %failed, label %b62, !prof !0
b62:
%v63 = getelementptr i8, ptr %w, i64 1280
%v64 = load volatile <32 x i32>, ptr %v63, align 4, !tbaa !5
br label %b55
b55:
%v65 = phi <32 x i32> [%v54, %b51], [%v64, %b62]
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
%v75 = getelementptr i8, ptr %w, i64 196
store i32 9, ptr %v75, align 4
br label %failed
b74:
br label %b71
b71:
%v76 = load <32 x i1>, ptr %live, align 4
%v77 = bitcast <32 x i1> %v76 to i32
%v78 = load i32, ptr %r1, align 4
%v79 = load ptr, ptr %frame.slot, align 4
%v80 = getelementptr i8, ptr %v79, i64 64
store i32 %v78, ptr %v80, align 8
%v81 = load i32, ptr %r5, align 4
%v82 = getelementptr i8, ptr %v79, i64 68
store i32 %v81, ptr %v82, align 8
%v83 = load i64, ptr %r0, align 4
%v84 = getelementptr i8, ptr %v79, i64 72
store i64 %v83, ptr %v84, align 8
%v85 = load i64, ptr %r3, align 4
%v86 = getelementptr i8, ptr %v79, i64 80
store i64 %v85, ptr %v86, align 8
%v87 = load i32, ptr %index.slot, align 4
%v88 = load i32, ptr %came, align 4
%v89 = icmp eq i32 %v88, 0
%v90 = icmp eq i32 %v88, 10
%v91 = or i1 %v89, %v90
br i1 %v91, label %b92, label %b93, !prof !1
b92:
%v94 = icmp eq i32 %v87, 1
br i1 %v94, label %b95, label %b96
b96:
store i32 10, ptr %came, align 4
br label %next0
b95:
br label %again10
b93:
%v97 = getelementptr i8, ptr %v79, i64 0
store i32 10, ptr %v97, align 4
%v98 = getelementptr i8, ptr %v79, i64 8
store i32 0, ptr %v98, align 4
br label %arrives
resume10:
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m4, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
%v99 = load ptr, ptr %frame.slot, align 4
%v100 = getelementptr i8, ptr %v99, i64 64
%v101 = load i32, ptr %v100, align 8
store i32 %v101, ptr %r1, align 4
%v102 = getelementptr i8, ptr %v99, i64 68
%v103 = load i32, ptr %v102, align 8
store i32 %v103, ptr %r5, align 4
%v104 = getelementptr i8, ptr %v99, i64 72
%v105 = load i64, ptr %v104, align 8
store i64 %v105, ptr %r0, align 4
%v106 = getelementptr i8, ptr %v99, i64 80
%v107 = load i64, ptr %v106, align 8
store i64 %v107, ptr %r3, align 4
br label %block2
block2:
; 10
%v108 = load i32, ptr %r1, align 4
%v109 = load i32, ptr %r5, align 4
%v110 = zext i32 %v108 to i64
%v111 = zext i32 %v109 to i64
%v112 = sub i64 %v111, %v110
%v113 = call i64 @llvm.smax.i64(i64 %v112, i64 0)
%v114 = call i64 @llvm.smin.i64(i64 %v113, i64 32)
%v115 = shl i64 -1, %v114
%v116 = trunc i64 %v115 to i32
%v117 = xor i32 %v116, -1
%v118 = bitcast i32 %v117 to <32 x i1>
%v119 = xor <32 x i1> %v118, splat (i1 true)
%v120 = xor <32 x i1> %v119, splat (i1 true)
%v121 = xor <32 x i1> %v119, splat (i1 true)
store <32 x i1> %v119, ptr %m4, align 4
store <32 x i1> %v121, ptr %m3, align 4
br label %way0
block3:
; 12
%v122 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v123 = load i32, ptr %r5, align 4
%v124 = zext i32 %v123 to i64
%v125 = mul i64 %v124, 4
%v126 = load i64, ptr %r3, align 4
%v127 = add i64 %v126, %v125
%v128 = icmp ult i64 %v127, %v35
br i1 %v128, label %b129, label %b130, !prof !1
b129:
%v131 = getelementptr i8, ptr %v31, i64 %v127
%v132 = load <32 x i32>, ptr %v131, align 4, !tbaa !6
br label %b133
b130:
%v134 = add i64 0, %v127
%v135 = bitcast <32 x i1> %v122 to i32
%v136 = zext i32 %v135 to i64
%v137 = load i32, ptr %index.slot, align 4
%v138 = shl i32 %v137, 5
%v139 = zext i32 %v138 to i64
%v140 = call i1 @openptx.load_span(ptr %w, i64 %v136, i64 60129608706, i64 %v139, i64 0, i64 %v134, ptr @span.0)
br i1 %v140, label %failed, label %b141, !prof !0
b141:
%v142 = getelementptr i8, ptr %w, i64 1280
%v143 = load volatile <32 x i32>, ptr %v142, align 4, !tbaa !5
br label %b133
b133:
%v144 = phi <32 x i32> [%v132, %b129], [%v143, %b141]
%v145 = getelementptr i8, ptr %v31, i64 %v126
%v146 = load <32 x i32>, ptr %v145, align 4, !tbaa !6
%v147 = add <32 x i32> %v146, %v144
%v148 = getelementptr i8, ptr %v31, i64 %v126
%v149 = bitcast <32 x i1> %v122 to i32
%v150 = icmp eq i32 %v149, -1
br i1 %v150, label %b151, label %b152, !prof !1
b151:
store <32 x i32> %v147, ptr %v148, align 4, !tbaa !6
br label %b153
b152:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v147, ptr align 4 %v148, <32 x i1> %v122), !tbaa !6
br label %b153
b153:
%v154 = load <32 x i1>, ptr %m4, align 4
%v155 = or <32 x i1> %v154, %v122
store <32 x i1> %v155, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v156 = load i32, ptr %r5, align 4
%v157 = lshr i32 %v156, 1
%v158 = icmp ne i32 %v157, 0
%v159 = xor i1 %v158, true
store i32 %v157, ptr %r5, align 4
br i1 %v158, label %b160, label %b161
b160:
br label %block1
b161:
br label %block5
block5:
; 21
%v162 = getelementptr i8, ptr %v31, i64 0
%v163 = load i32, ptr %v162, align 4, !tbaa !6
%v164 = load i64, ptr %r0, align 4
%v165 = sub i64 %v164, %v14
%v166 = add i64 %v25, %v165
%v167 = call i64 @llvm.fshr.i64(i64 %v166, i64 %v166, i64 2)
%v168 = icmp ult i64 %v167, %v39
br i1 %v168, label %b169, label %b170, !prof !1
b170:
%v171 = insertelement <32 x i32> poison, i32 %v163, i32 0
%v172 = shufflevector <32 x i32> %v171, <32 x i32> poison, <32 x i32> zeroinitializer
%v173 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v172, ptr %v173, align 4, !tbaa !5
%v174 = add i64 %v20, %v166
%v175 = zext i32 -1 to i64
%v176 = load i32, ptr %index.slot, align 4
%v177 = shl i32 %v176, 5
%v178 = zext i32 %v177 to i64
%v179 = call i1 @openptx.store_span(ptr %w, i64 %v175, i64 94489347073, i64 %v178, i64 0, i64 %v174, ptr @span.0)
br i1 %v179, label %failed, label %b180, !prof !0
b180:
br label %b181
b169:
%v182 = getelementptr i8, ptr %v24, i64 %v166
%v183 = insertelement <32 x i32> poison, i32 %v163, i32 0
%v184 = shufflevector <32 x i32> %v183, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v184, ptr %v182, align 4, !tbaa !6
br label %b181
b181:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v185 = load <32 x i1>, ptr %m3, align 4
%v186 = bitcast <32 x i1> %v185 to i32
%v187 = icmp ne i32 %v186, 0
br i1 %v187, label %block3, label %block4
ended:
%v188 = load ptr, ptr %frame.slot, align 4
%v189 = getelementptr i8, ptr %v188, i64 0
store i32 -1, ptr %v189, align 4
%v190 = getelementptr i8, ptr %v188, i64 20
%v191 = load i32, ptr %v190, align 4
%v192 = getelementptr i8, ptr %v188, i64 20
store i32 0, ptr %v192, align 4
%v193 = getelementptr i8, ptr %w, i64 152
%v194 = load i64, ptr %v193, align 8
%v195 = zext i32 %v191 to i64
%v196 = sub i64 %v194, %v195
%v197 = getelementptr i8, ptr %w, i64 152
store i64 %v196, ptr %v197, align 8
%v198 = load i32, ptr %index.slot, align 4
%v199 = load i32, ptr %came, align 4
%v200 = icmp eq i32 %v199, 0
%v201 = icmp eq i32 %v199, -1
%v202 = or i1 %v200, %v201
br i1 %v202, label %b203, label %b204, !prof !1
b203:
%v205 = icmp eq i32 %v198, 1
br i1 %v205, label %b206, label %b207
b207:
store i32 -1, ptr %came, align 4
br label %next1
b206:
br label %onward
b204:
%v208 = load i32, ptr %came, align 4
%v209 = load i32, ptr %region, align 4
call void @openptx.note_warps(ptr %w, i32 %v198, i32 %v208, i32 0, i32 %v209, i32 0)
store i32 -2, ptr %came, align 4
call void @openptx.ended(ptr %w, i64 0)
br label %onward
failed:
%v210 = load i32, ptr %index.slot, align 4
%v211 = getelementptr i8, ptr %w, i64 204
store i32 %v210, ptr %v211, align 4
ret i32 2
arrives:
%v212 = load i32, ptr %came, align 4
%v213 = load i32, ptr %region, align 4
%v214 = load i32, ptr %index.slot, align 4
call void @openptx.note_warps(ptr %w, i32 %v214, i32 %v212, i32 0, i32 %v213, i32 0)
store i32 -2, ptr %came, align 4
%v215 = load <32 x i1>, ptr %live, align 4
%v216 = bitcast <32 x i1> %v215 to i32
%v217 = load ptr, ptr %frame.slot, align 4
%v218 = getelementptr i8, ptr %v217, i64 8
%v219 = load i32, ptr %v218, align 4
%v220 = zext i32 %v219 to i64
%v221 = zext i32 %v216 to i64
%v222 = call i32 @openptx.come(ptr %w, i64 %v220, i64 %v221)
%v223 = getelementptr i8, ptr %v217, i64 12
store i32 %v222, ptr %v223, align 4
br label %onward
onward:
%v224 = load i32, ptr %index.slot, align 4
%v225 = zext i32 %v224 to i64
%v226 = call i64 @openptx.next_warp(ptr %w, i64 %v225)
%next = trunc i64 %v226 to i32
%v227 = icmp slt i64 %v226, 0
br i1 %v227, label %rest, label %ready
rest:
%v228 = getelementptr i8, ptr %w, i64 204
store i32 %v224, ptr %v228, align 4
ret i32 5
ready:
br label %warp
next0:
%v229 = load i32, ptr %region, align 4
%v230 = icmp eq i32 %v229, 10
br i1 %v230, label %following10, label %b231
b231:
br label %following0
next1:
br label %following10
following10:
%v232 = load i32, ptr %index.slot, align 4
%v233 = add i32 %v232, 1
%v234 = load ptr, ptr %frame.slot, align 4
%v235 = getelementptr i8, ptr %v234, i64 832
%v236 = shl i32 %v233, 5
%v237 = zext i32 %v236 to i64
store i32 %v233, ptr %index.slot, align 4
store ptr %v235, ptr %frame.slot, align 4
store i32 %v236, ptr %first32.slot, align 4
br label %resume10
following0:
%v238 = load i32, ptr %index.slot, align 4
%v239 = add i32 %v238, 1
%v240 = load ptr, ptr %frame.slot, align 4
%v241 = getelementptr i8, ptr %v240, i64 832
%v242 = shl i32 %v239, 5
%v243 = zext i32 %v242 to i64
store i32 %v239, ptr %index.slot, align 4
store ptr %v241, ptr %frame.slot, align 4
store i32 %v242, ptr %first32.slot, align 4
br label %begin
again10:
store i32 0, ptr %came, align 4
store i32 10, ptr %region, align 4
%v244 = shl i32 0, 5
%v245 = zext i32 %v244 to i64
store i32 0, ptr %index.slot, align 4
store ptr %frames, ptr %frame.slot, align 4
store i32 %v244, ptr %first32.slot, align 4
br label %resume10
}

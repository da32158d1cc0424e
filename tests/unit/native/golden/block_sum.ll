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
%v55 = call i1 @openptx.load_span(ptr %w, i64 %v54, i64 25769870337, i64 %v53, ptr @span.0)
br i1 %v55, label %failed, label %b56, !prof !0
b56:
%v57 = getelementptr i8, ptr %w, i64 1280
%v58 = load volatile <32 x i32>, ptr %v57, align 4, !tbaa !5
br label %b59
b51:
%v60 = getelementptr i8, ptr %v24, i64 %v48
%v61 = load <32 x i32>, ptr %v60, align 4, !tbaa !6
br label %b59
b59:
%v62 = phi <32 x i32> [%v61, %b51], [%v58, %b56]
%v63 = getelementptr i8, ptr %v31, i64 %v45
store <32 x i32> %v62, ptr %v63, align 4, !tbaa !6
store i64 %v46, ptr %r0, align 4
store i32 %v43, ptr %r1, align 4
store i64 %v45, ptr %r3, align 4
store i32 32, ptr %r5, align 4
br label %block1
block1:
; 9
%v64 = load i32, ptr %fuel, align 4
%v65 = sub i32 %v64, 1
store i32 %v65, ptr %fuel, align 4
%v66 = icmp eq i32 %v65, 0
br i1 %v66, label %b67, label %b68, !prof !0
b67:
store i32 10922, ptr %fuel, align 4
%v69 = call i1 @openptx.poll(ptr %w)
br i1 %v69, label %b70, label %b71, !prof !0
b70:
%v72 = bitcast <32 x i1> splat (i1 true) to i32
%v73 = getelementptr i8, ptr %w, i64 200
store i32 %v72, ptr %v73, align 4
%v74 = getelementptr i8, ptr %w, i64 196
store i32 9, ptr %v74, align 4
br label %failed
b71:
br label %b68
b68:
%v75 = load <32 x i1>, ptr %live, align 4
%v76 = bitcast <32 x i1> %v75 to i32
%v77 = load i32, ptr %r1, align 4
%v78 = load ptr, ptr %frame.slot, align 4
%v79 = getelementptr i8, ptr %v78, i64 64
store i32 %v77, ptr %v79, align 8
%v80 = load i32, ptr %r5, align 4
%v81 = getelementptr i8, ptr %v78, i64 68
store i32 %v80, ptr %v81, align 8
%v82 = load i64, ptr %r0, align 4
%v83 = getelementptr i8, ptr %v78, i64 72
store i64 %v82, ptr %v83, align 8
%v84 = load i64, ptr %r3, align 4
%v85 = getelementptr i8, ptr %v78, i64 80
store i64 %v84, ptr %v85, align 8
%v86 = load i32, ptr %index.slot, align 4
%v87 = load i32, ptr %came, align 4
%v88 = icmp eq i32 %v87, 0
%v89 = icmp eq i32 %v87, 10
%v90 = or i1 %v88, %v89
br i1 %v90, label %b91, label %b92, !prof !1
b91:
%v93 = icmp eq i32 %v86, 1
br i1 %v93, label %b94, label %b95
b95:
store i32 10, ptr %came, align 4
br label %next0
b94:
br label %again10
b92:
%v96 = getelementptr i8, ptr %v78, i64 0
store i32 10, ptr %v96, align 4
%v97 = getelementptr i8, ptr %v78, i64 8
store i32 0, ptr %v97, align 4
br label %arrives
resume10:
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m4, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
%v98 = load ptr, ptr %frame.slot, align 4
%v99 = getelementptr i8, ptr %v98, i64 64
%v100 = load i32, ptr %v99, align 8
store i32 %v100, ptr %r1, align 4
%v101 = getelementptr i8, ptr %v98, i64 68
%v102 = load i32, ptr %v101, align 8
store i32 %v102, ptr %r5, align 4
%v103 = getelementptr i8, ptr %v98, i64 72
%v104 = load i64, ptr %v103, align 8
store i64 %v104, ptr %r0, align 4
%v105 = getelementptr i8, ptr %v98, i64 80
%v106 = load i64, ptr %v105, align 8
store i64 %v106, ptr %r3, align 4
br label %block2
block2:
; 10
%v107 = load i32, ptr %r1, align 4
%v108 = load i32, ptr %r5, align 4
%v109 = zext i32 %v107 to i64
%v110 = zext i32 %v108 to i64
%v111 = sub i64 %v109, %v110
%v112 = icmp sgt i64 %v111, -32
br i1 %v112, label %b113, label %b114, !prof !0
b113:
%v115 = call i64 @llvm.smax.i64(i64 %v111, i64 -32)
%v116 = call i64 @llvm.smin.i64(i64 %v115, i64 0)
%v117 = add i64 %v116, 32
%v118 = lshr i64 4294967295, %v117
%v119 = trunc i64 %v118 to i32
br label %b114
b114:
%v120 = phi i32 [-1, %block2], [%v119, %b113]
%v121 = bitcast i32 %v120 to <32 x i1>
%v122 = xor <32 x i1> %v121, splat (i1 true)
%v123 = xor <32 x i1> %v122, splat (i1 true)
%v124 = xor <32 x i1> %v122, splat (i1 true)
store <32 x i1> %v122, ptr %m4, align 4
store <32 x i1> %v124, ptr %m3, align 4
br label %way0
block3:
; 12
%v125 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v126 = load i32, ptr %r5, align 4
%v127 = zext i32 %v126 to i64
%v128 = mul i64 %v127, 4
%v129 = load i64, ptr %r3, align 4
%v130 = add i64 %v129, %v128
%v131 = icmp ult i64 %v130, %v35
br i1 %v131, label %b132, label %b133, !prof !1
b133:
%v134 = add i64 0, %v130
%v135 = bitcast <32 x i1> %v125 to i32
%v136 = zext i32 %v135 to i64
%v137 = call i1 @openptx.load_span(ptr %w, i64 %v136, i64 60129608706, i64 %v134, ptr @span.0)
br i1 %v137, label %failed, label %b138, !prof !0
b138:
%v139 = getelementptr i8, ptr %w, i64 1280
%v140 = load volatile <32 x i32>, ptr %v139, align 4, !tbaa !5
br label %b141
b132:
%v142 = getelementptr i8, ptr %v31, i64 %v130
%v143 = load <32 x i32>, ptr %v142, align 4, !tbaa !6
br label %b141
b141:
%v144 = phi <32 x i32> [%v143, %b132], [%v140, %b138]
%v145 = getelementptr i8, ptr %v31, i64 %v129
%v146 = load <32 x i32>, ptr %v145, align 4, !tbaa !6
%v147 = add <32 x i32> %v146, %v144
%v148 = getelementptr i8, ptr %v31, i64 %v129
%v149 = bitcast <32 x i1> %v125 to i32
%v150 = icmp eq i32 %v149, -1
br i1 %v150, label %b151, label %b152, !prof !1
b151:
store <32 x i32> %v147, ptr %v148, align 4, !tbaa !6
br label %b153
b152:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v147, ptr align 4 %v148, <32 x i1> %v125), !tbaa !6
br label %b153
b153:
%v154 = load <32 x i1>, ptr %m4, align 4
%v155 = or <32 x i1> %v154, %v125
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
%v176 = call i1 @openptx.store_span(ptr %w, i64 %v175, i64 94489347073, i64 %v174, ptr @span.0)
br i1 %v176, label %failed, label %b177, !prof !0
b177:
br label %b178
b169:
%v179 = getelementptr i8, ptr %v24, i64 %v166
%v180 = insertelement <32 x i32> poison, i32 %v163, i32 0
%v181 = shufflevector <32 x i32> %v180, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v181, ptr %v179, align 4, !tbaa !6
br label %b178
b178:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v182 = load <32 x i1>, ptr %m3, align 4
%v183 = bitcast <32 x i1> %v182 to i32
%v184 = icmp ne i32 %v183, 0
br i1 %v184, label %block3, label %block4
ended:
%v185 = load ptr, ptr %frame.slot, align 4
%v186 = getelementptr i8, ptr %v185, i64 0
store i32 -1, ptr %v186, align 4
%v187 = getelementptr i8, ptr %v185, i64 20
%v188 = load i32, ptr %v187, align 4
%v189 = getelementptr i8, ptr %v185, i64 20
store i32 0, ptr %v189, align 4
%v190 = getelementptr i8, ptr %w, i64 152
%v191 = load i64, ptr %v190, align 8
%v192 = zext i32 %v188 to i64
%v193 = sub i64 %v191, %v192
%v194 = getelementptr i8, ptr %w, i64 152
store i64 %v193, ptr %v194, align 8
%v195 = load i32, ptr %index.slot, align 4
%v196 = load i32, ptr %came, align 4
%v197 = icmp eq i32 %v196, 0
%v198 = icmp eq i32 %v196, -1
%v199 = or i1 %v197, %v198
br i1 %v199, label %b200, label %b201, !prof !1
b200:
%v202 = icmp eq i32 %v195, 1
br i1 %v202, label %b203, label %b204
b204:
store i32 -1, ptr %came, align 4
br label %next1
b203:
br label %onward
b201:
%v205 = load i32, ptr %came, align 4
%v206 = load i32, ptr %region, align 4
call void @openptx.note_warps(ptr %w, i32 %v195, i32 %v205, i32 0, i32 %v206, i32 0)
store i32 -2, ptr %came, align 4
call void @openptx.ended(ptr %w, i64 0)
br label %onward
failed:
%v207 = load i32, ptr %index.slot, align 4
%v208 = getelementptr i8, ptr %w, i64 204
store i32 %v207, ptr %v208, align 4
ret i32 2
arrives:
%v209 = load i32, ptr %came, align 4
%v210 = load i32, ptr %region, align 4
%v211 = load i32, ptr %index.slot, align 4
call void @openptx.note_warps(ptr %w, i32 %v211, i32 %v209, i32 0, i32 %v210, i32 0)
store i32 -2, ptr %came, align 4
%v212 = load <32 x i1>, ptr %live, align 4
%v213 = bitcast <32 x i1> %v212 to i32
%v214 = load ptr, ptr %frame.slot, align 4
%v215 = getelementptr i8, ptr %v214, i64 8
%v216 = load i32, ptr %v215, align 4
%v217 = zext i32 %v216 to i64
%v218 = zext i32 %v213 to i64
%v219 = call i32 @openptx.come(ptr %w, i64 %v217, i64 %v218)
%v220 = getelementptr i8, ptr %v214, i64 12
store i32 %v219, ptr %v220, align 4
br label %onward
onward:
%v221 = load i32, ptr %index.slot, align 4
%v222 = zext i32 %v221 to i64
%v223 = call i64 @openptx.next_warp(ptr %w, i64 %v222)
%next = trunc i64 %v223 to i32
%v224 = icmp slt i64 %v223, 0
br i1 %v224, label %rest, label %ready
rest:
%v225 = getelementptr i8, ptr %w, i64 204
store i32 %v221, ptr %v225, align 4
ret i32 5
ready:
br label %warp
next0:
%v226 = load i32, ptr %region, align 4
%v227 = icmp eq i32 %v226, 10
br i1 %v227, label %following10, label %b228
b228:
br label %following0
next1:
br label %following10
following10:
%v229 = load i32, ptr %index.slot, align 4
%v230 = add i32 %v229, 1
%v231 = load ptr, ptr %frame.slot, align 4
%v232 = getelementptr i8, ptr %v231, i64 832
%v233 = shl i32 %v230, 5
%v234 = zext i32 %v233 to i64
store i32 %v230, ptr %index.slot, align 4
store ptr %v232, ptr %frame.slot, align 4
store i32 %v233, ptr %first32.slot, align 4
br label %resume10
following0:
%v235 = load i32, ptr %index.slot, align 4
%v236 = add i32 %v235, 1
%v237 = load ptr, ptr %frame.slot, align 4
%v238 = getelementptr i8, ptr %v237, i64 832
%v239 = shl i32 %v236, 5
%v240 = zext i32 %v239 to i64
store i32 %v236, ptr %index.slot, align 4
store ptr %v238, ptr %frame.slot, align 4
store i32 %v239, ptr %first32.slot, align 4
br label %begin
again10:
store i32 0, ptr %came, align 4
store i32 10, ptr %region, align 4
%v241 = shl i32 0, 5
%v242 = zext i32 %v241 to i64
store i32 0, ptr %index.slot, align 4
store ptr %frames, ptr %frame.slot, align 4
store i32 %v241, ptr %first32.slot, align 4
br label %resume10
}

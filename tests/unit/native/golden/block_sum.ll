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
%v111 = add i64 %v109, 32
%v112 = sub i64 %v111, %v110
%v113 = call i64 @llvm.smax.i64(i64 %v112, i64 0)
%v114 = call i64 @llvm.smin.i64(i64 %v113, i64 32)
%v115 = lshr i64 4294967295, %v114
%v116 = trunc i64 %v115 to i32
%v117 = bitcast i32 %v116 to <32 x i1>
%v118 = xor <32 x i1> %v117, splat (i1 true)
%v119 = xor <32 x i1> %v118, splat (i1 true)
%v120 = xor <32 x i1> %v118, splat (i1 true)
store <32 x i1> %v118, ptr %m4, align 4
store <32 x i1> %v120, ptr %m3, align 4
br label %way0
block3:
; 12
%v121 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v122 = load i32, ptr %r5, align 4
%v123 = zext i32 %v122 to i64
%v124 = mul i64 %v123, 4
%v125 = load i64, ptr %r3, align 4
%v126 = add i64 %v125, %v124
%v127 = icmp ult i64 %v126, %v35
br i1 %v127, label %b128, label %b129, !prof !1
b129:
%v130 = add i64 0, %v126
%v131 = bitcast <32 x i1> %v121 to i32
%v132 = zext i32 %v131 to i64
%v133 = call i1 @openptx.load_span(ptr %w, i64 %v132, i64 60129608706, i64 %v130, ptr @span.0)
br i1 %v133, label %failed, label %b134, !prof !0
b134:
%v135 = getelementptr i8, ptr %w, i64 1280
%v136 = load volatile <32 x i32>, ptr %v135, align 4, !tbaa !5
br label %b137
b128:
%v138 = getelementptr i8, ptr %v31, i64 %v126
%v139 = load <32 x i32>, ptr %v138, align 4, !tbaa !6
br label %b137
b137:
%v140 = phi <32 x i32> [%v139, %b128], [%v136, %b134]
%v141 = getelementptr i8, ptr %v31, i64 %v125
%v142 = load <32 x i32>, ptr %v141, align 4, !tbaa !6
%v143 = add <32 x i32> %v142, %v140
%v144 = getelementptr i8, ptr %v31, i64 %v125
%v145 = bitcast <32 x i1> %v121 to i32
%v146 = icmp eq i32 %v145, -1
br i1 %v146, label %b147, label %b148, !prof !1
b147:
store <32 x i32> %v143, ptr %v144, align 4, !tbaa !6
br label %b149
b148:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v143, ptr align 4 %v144, <32 x i1> %v121), !tbaa !6
br label %b149
b149:
%v150 = load <32 x i1>, ptr %m4, align 4
%v151 = or <32 x i1> %v150, %v121
store <32 x i1> %v151, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v152 = load i32, ptr %r5, align 4
%v153 = lshr i32 %v152, 1
%v154 = icmp ne i32 %v153, 0
%v155 = xor i1 %v154, true
store i32 %v153, ptr %r5, align 4
br i1 %v154, label %b156, label %b157
b156:
br label %block1
b157:
br label %block5
block5:
; 21
%v158 = getelementptr i8, ptr %v31, i64 0
%v159 = load i32, ptr %v158, align 4, !tbaa !6
%v160 = load i64, ptr %r0, align 4
%v161 = sub i64 %v160, %v14
%v162 = add i64 %v25, %v161
%v163 = call i64 @llvm.fshr.i64(i64 %v162, i64 %v162, i64 2)
%v164 = icmp ult i64 %v163, %v39
br i1 %v164, label %b165, label %b166, !prof !1
b166:
%v167 = insertelement <32 x i32> poison, i32 %v159, i32 0
%v168 = shufflevector <32 x i32> %v167, <32 x i32> poison, <32 x i32> zeroinitializer
%v169 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v168, ptr %v169, align 4, !tbaa !5
%v170 = add i64 %v20, %v162
%v171 = zext i32 -1 to i64
%v172 = call i1 @openptx.store_span(ptr %w, i64 %v171, i64 94489347073, i64 %v170, ptr @span.0)
br i1 %v172, label %failed, label %b173, !prof !0
b173:
br label %b174
b165:
%v175 = getelementptr i8, ptr %v24, i64 %v162
%v176 = insertelement <32 x i32> poison, i32 %v159, i32 0
%v177 = shufflevector <32 x i32> %v176, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v177, ptr %v175, align 4, !tbaa !6
br label %b174
b174:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v178 = load <32 x i1>, ptr %m3, align 4
%v179 = bitcast <32 x i1> %v178 to i32
%v180 = icmp ne i32 %v179, 0
br i1 %v180, label %block3, label %block4
ended:
%v181 = load ptr, ptr %frame.slot, align 4
%v182 = getelementptr i8, ptr %v181, i64 0
store i32 -1, ptr %v182, align 4
%v183 = getelementptr i8, ptr %v181, i64 20
%v184 = load i32, ptr %v183, align 4
%v185 = getelementptr i8, ptr %v181, i64 20
store i32 0, ptr %v185, align 4
%v186 = getelementptr i8, ptr %w, i64 152
%v187 = load i64, ptr %v186, align 8
%v188 = zext i32 %v184 to i64
%v189 = sub i64 %v187, %v188
%v190 = getelementptr i8, ptr %w, i64 152
store i64 %v189, ptr %v190, align 8
%v191 = load i32, ptr %index.slot, align 4
%v192 = load i32, ptr %came, align 4
%v193 = icmp eq i32 %v192, 0
%v194 = icmp eq i32 %v192, -1
%v195 = or i1 %v193, %v194
br i1 %v195, label %b196, label %b197, !prof !1
b196:
%v198 = icmp eq i32 %v191, 1
br i1 %v198, label %b199, label %b200
b200:
store i32 -1, ptr %came, align 4
br label %next1
b199:
br label %onward
b197:
%v201 = load i32, ptr %came, align 4
%v202 = load i32, ptr %region, align 4
call void @openptx.note_warps(ptr %w, i32 %v191, i32 %v201, i32 0, i32 %v202, i32 0)
store i32 -2, ptr %came, align 4
call void @openptx.ended(ptr %w, i64 0)
br label %onward
failed:
%v203 = load i32, ptr %index.slot, align 4
%v204 = getelementptr i8, ptr %w, i64 204
store i32 %v203, ptr %v204, align 4
ret i32 2
arrives:
%v205 = load i32, ptr %came, align 4
%v206 = load i32, ptr %region, align 4
%v207 = load i32, ptr %index.slot, align 4
call void @openptx.note_warps(ptr %w, i32 %v207, i32 %v205, i32 0, i32 %v206, i32 0)
store i32 -2, ptr %came, align 4
%v208 = load <32 x i1>, ptr %live, align 4
%v209 = bitcast <32 x i1> %v208 to i32
%v210 = load ptr, ptr %frame.slot, align 4
%v211 = getelementptr i8, ptr %v210, i64 8
%v212 = load i32, ptr %v211, align 4
%v213 = zext i32 %v212 to i64
%v214 = zext i32 %v209 to i64
%v215 = call i32 @openptx.come(ptr %w, i64 %v213, i64 %v214)
%v216 = getelementptr i8, ptr %v210, i64 12
store i32 %v215, ptr %v216, align 4
br label %onward
onward:
%v217 = load i32, ptr %index.slot, align 4
%v218 = zext i32 %v217 to i64
%v219 = call i64 @openptx.next_warp(ptr %w, i64 %v218)
%next = trunc i64 %v219 to i32
%v220 = icmp slt i64 %v219, 0
br i1 %v220, label %rest, label %ready
rest:
%v221 = getelementptr i8, ptr %w, i64 204
store i32 %v217, ptr %v221, align 4
ret i32 5
ready:
br label %warp
next0:
%v222 = load i32, ptr %region, align 4
%v223 = icmp eq i32 %v222, 10
br i1 %v223, label %following10, label %b224
b224:
br label %following0
next1:
br label %following10
following10:
%v225 = load i32, ptr %index.slot, align 4
%v226 = add i32 %v225, 1
%v227 = load ptr, ptr %frame.slot, align 4
%v228 = getelementptr i8, ptr %v227, i64 832
%v229 = shl i32 %v226, 5
%v230 = zext i32 %v229 to i64
store i32 %v226, ptr %index.slot, align 4
store ptr %v228, ptr %frame.slot, align 4
store i32 %v229, ptr %first32.slot, align 4
br label %resume10
following0:
%v231 = load i32, ptr %index.slot, align 4
%v232 = add i32 %v231, 1
%v233 = load ptr, ptr %frame.slot, align 4
%v234 = getelementptr i8, ptr %v233, i64 832
%v235 = shl i32 %v232, 5
%v236 = zext i32 %v235 to i64
store i32 %v232, ptr %index.slot, align 4
store ptr %v234, ptr %frame.slot, align 4
store i32 %v235, ptr %first32.slot, align 4
br label %begin
again10:
store i32 0, ptr %came, align 4
store i32 10, ptr %region, align 4
%v237 = shl i32 0, 5
%v238 = zext i32 %v237 to i64
store i32 0, ptr %index.slot, align 4
store ptr %frames, ptr %frame.slot, align 4
store i32 %v237, ptr %first32.slot, align 4
br label %resume10
}

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
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m4, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
%v48 = getelementptr i8, ptr %frame, i64 0
%v49 = load i32, ptr %v48, align 4
switch i32 %v49, label %block0 [ i32 10, label %resume10 ]
block0:
; 0
%v50 = zext i32 %first32 to i64
%v51 = mul i64 %v50, 4
%v52 = add i64 %v9, %v51
%v53 = sub i64 %v52, %v9
%v54 = add i64 %v33, %v53
%v55 = call i64 @llvm.fshr.i64(i64 %v54, i64 %v54, i64 2)
%v56 = icmp ult i64 %v55, %v37
br i1 %v56, label %b57, label %b58, !prof !1
b57:
%v59 = getelementptr i8, ptr %v32, i64 %v54
%v60 = load <32 x i32>, ptr %v59, align 4, !tbaa !6
br label %b61
b58:
%v62 = zext i32 -1 to i64
%v63 = call i1 @span.load.0(ptr %w, i64 %v62, i64 %v27, i64 %v54, i64 %first, i64 0)
br i1 %v63, label %b64, label %b65, !prof !0
b64:
%v66 = getelementptr i8, ptr %w, i64 196
store i32 6, ptr %v66, align 4
br label %failed
b65:
%v67 = getelementptr i8, ptr %w, i64 1280
%v68 = load volatile <32 x i32>, ptr %v67, align 4, !tbaa !5
br label %b61
b61:
%v69 = phi <32 x i32> [%v60, %b57], [%v68, %b65]
%v70 = getelementptr i8, ptr %v39, i64 %v51
store <32 x i32> %v69, ptr %v70, align 4, !tbaa !6
store i64 %v52, ptr %r0, align 4
store i32 %first32, ptr %r1, align 4
store i64 %v51, ptr %r3, align 4
store i32 32, ptr %r5, align 4
br label %block1
block1:
; 9
%v71 = load i32, ptr %fuel, align 4
%v72 = sub i32 %v71, 1
store i32 %v72, ptr %fuel, align 4
%v73 = icmp eq i32 %v72, 0
br i1 %v73, label %b74, label %b75, !prof !0
b74:
store i32 10922, ptr %fuel, align 4
%v76 = call i1 @openptx.poll(ptr %w)
br i1 %v76, label %b77, label %b78, !prof !0
b77:
%v79 = getelementptr i8, ptr %w, i64 196
store i32 9, ptr %v79, align 4
br label %failed
b78:
br label %b75
b75:
%v80 = call i32 @openptx.arrive(ptr %w, i32 0, i32 0, i32 -1, i32 0)
%v81 = getelementptr i8, ptr %frame, i64 0
store i32 10, ptr %v81, align 4
%v82 = getelementptr i8, ptr %frame, i64 20
store i32 0, ptr %v82, align 4
%v83 = getelementptr i8, ptr %frame, i64 4
store i32 0, ptr %v83, align 4
%v84 = getelementptr i8, ptr %frame, i64 8
store i32 %v80, ptr %v84, align 4
%v85 = load <32 x i1>, ptr %live, align 4
%v86 = bitcast <32 x i1> %v85 to i32
%v87 = getelementptr i8, ptr %frame, i64 12
store i32 %v86, ptr %v87, align 4
%v88 = load i32, ptr %r1, align 4
%v89 = getelementptr i8, ptr %frame, i64 64
store i32 %v88, ptr %v89, align 8
%v90 = load i32, ptr %r5, align 4
%v91 = getelementptr i8, ptr %frame, i64 68
store i32 %v90, ptr %v91, align 8
%v92 = load i64, ptr %r0, align 4
%v93 = getelementptr i8, ptr %frame, i64 72
store i64 %v92, ptr %v93, align 8
%v94 = load i64, ptr %r3, align 4
%v95 = getelementptr i8, ptr %frame, i64 80
store i64 %v94, ptr %v95, align 8
br label %onward
resume10:
%v96 = getelementptr i8, ptr %frame, i64 12
%v97 = load i32, ptr %v96, align 4
%v98 = bitcast i32 %v97 to <32 x i1>
store <32 x i1> %v98, ptr %live, align 4
%v99 = getelementptr i8, ptr %frame, i64 64
%v100 = load i32, ptr %v99, align 8
store i32 %v100, ptr %r1, align 4
%v101 = getelementptr i8, ptr %frame, i64 68
%v102 = load i32, ptr %v101, align 8
store i32 %v102, ptr %r5, align 4
%v103 = getelementptr i8, ptr %frame, i64 72
%v104 = load i64, ptr %v103, align 8
store i64 %v104, ptr %r0, align 4
%v105 = getelementptr i8, ptr %frame, i64 80
%v106 = load i64, ptr %v105, align 8
store i64 %v106, ptr %r3, align 4
br label %block2
block2:
; 10
%v107 = load i32, ptr %r1, align 4
%v108 = load i32, ptr %r5, align 4
%v109 = insertelement <32 x i32> poison, i32 %v107, i32 0
%v110 = shufflevector <32 x i32> %v109, <32 x i32> poison, <32 x i32> zeroinitializer
%v111 = add <32 x i32> %v110, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
%v112 = insertelement <32 x i32> poison, i32 %v108, i32 0
%v113 = shufflevector <32 x i32> %v112, <32 x i32> poison, <32 x i32> zeroinitializer
%v114 = icmp ult <32 x i32> %v111, %v113
%v115 = xor <32 x i1> %v114, splat (i1 true)
%v116 = xor <32 x i1> %v115, splat (i1 true)
%v117 = xor <32 x i1> %v115, splat (i1 true)
store <32 x i1> %v115, ptr %m4, align 4
store <32 x i1> %v117, ptr %m3, align 4
br label %way0
block3:
; 12
%v118 = load <32 x i1>, ptr %m3, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v119 = load i32, ptr %r5, align 4
%v120 = zext i32 %v119 to i64
%v121 = mul i64 %v120, 4
%v122 = load i64, ptr %r3, align 4
%v123 = add i64 %v122, %v121
%v124 = icmp ult i64 %v123, %v43
br i1 %v124, label %b125, label %b126, !prof !1
b125:
%v127 = getelementptr i8, ptr %v39, i64 %v123
%v128 = load <32 x i32>, ptr %v127, align 4, !tbaa !6
br label %b129
b126:
%v130 = bitcast <32 x i1> %v118 to i32
%v131 = zext i32 %v130 to i64
%v132 = call i1 @span.load.1(ptr %w, i64 %v131, i64 0, i64 %v123, i64 %first, i64 0)
br i1 %v132, label %b133, label %b134, !prof !0
b133:
%v135 = getelementptr i8, ptr %w, i64 196
store i32 14, ptr %v135, align 4
br label %failed
b134:
%v136 = getelementptr i8, ptr %w, i64 1280
%v137 = load volatile <32 x i32>, ptr %v136, align 4, !tbaa !5
br label %b129
b129:
%v138 = phi <32 x i32> [%v128, %b125], [%v137, %b134]
%v139 = getelementptr i8, ptr %v39, i64 %v122
%v140 = load <32 x i32>, ptr %v139, align 4, !tbaa !6
%v141 = add <32 x i32> %v140, %v138
%v142 = getelementptr i8, ptr %v39, i64 %v122
%v143 = bitcast <32 x i1> %v118 to i32
%v144 = icmp eq i32 %v143, -1
br i1 %v144, label %b145, label %b146, !prof !1
b145:
store <32 x i32> %v141, ptr %v142, align 4, !tbaa !6
br label %b147
b146:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v141, ptr align 4 %v142, <32 x i1> %v118), !tbaa !6
br label %b147
b147:
%v148 = load <32 x i1>, ptr %m4, align 4
%v149 = or <32 x i1> %v148, %v118
store <32 x i1> %v149, ptr %m4, align 4
br label %block4
block4:
; 18
store <32 x i1> zeroinitializer, ptr %m4, align 4
%v150 = load i32, ptr %r5, align 4
%v151 = lshr i32 %v150, 1
%v152 = icmp ne i32 %v151, 0
%v153 = xor i1 %v152, true
store i32 %v151, ptr %r5, align 4
br i1 %v152, label %b154, label %b155
b154:
br label %block1
b155:
br label %block5
block5:
; 21
%v156 = getelementptr i8, ptr %v39, i64 0
%v157 = load i32, ptr %v156, align 4, !tbaa !6
%v158 = load i64, ptr %r0, align 4
%v159 = sub i64 %v158, %v9
%v160 = add i64 %v33, %v159
%v161 = call i64 @llvm.fshr.i64(i64 %v160, i64 %v160, i64 2)
%v162 = icmp ult i64 %v161, %v47
br i1 %v162, label %b163, label %b164, !prof !1
b164:
%v165 = insertelement <32 x i32> poison, i32 %v157, i32 0
%v166 = shufflevector <32 x i32> %v165, <32 x i32> poison, <32 x i32> zeroinitializer
%v167 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v166, ptr %v167, align 4, !tbaa !5
%v168 = zext i32 -1 to i64
%v169 = call i1 @span.store.2(ptr %w, i64 %v168, i64 %v27, i64 %v160, i64 %first, i64 0)
br i1 %v169, label %b170, label %b171, !prof !0
b170:
%v172 = getelementptr i8, ptr %w, i64 196
store i32 22, ptr %v172, align 4
br label %failed
b171:
br label %b173
b163:
%v174 = getelementptr i8, ptr %v32, i64 %v160
%v175 = insertelement <32 x i32> poison, i32 %v157, i32 0
%v176 = shufflevector <32 x i32> %v175, <32 x i32> poison, <32 x i32> zeroinitializer
store <32 x i32> %v176, ptr %v174, align 4, !tbaa !6
br label %b173
b173:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v177 = load <32 x i1>, ptr %m3, align 4
%v178 = bitcast <32 x i1> %v177 to i32
%v179 = icmp ne i32 %v178, 0
br i1 %v179, label %block3, label %block4
ended:
%v180 = getelementptr i8, ptr %frame, i64 0
store i32 -1, ptr %v180, align 4
%v181 = getelementptr i8, ptr %frame, i64 16
%v182 = load i32, ptr %v181, align 4
%v183 = getelementptr i8, ptr %frame, i64 16
store i32 0, ptr %v183, align 4
%v184 = getelementptr i8, ptr %w, i64 152
%v185 = load i64, ptr %v184, align 8
%v186 = zext i32 %v182 to i64
%v187 = sub i64 %v185, %v186
%v188 = getelementptr i8, ptr %w, i64 152
store i64 %v187, ptr %v188, align 8
call void @openptx.settle(ptr %w, i32 0)
br label %onward
failed:
%v189 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v189, align 4
ret i32 2
onward:
%v190 = add i32 %index, 1
%v191 = icmp eq i32 %v190, 2
%next = select i1 %v191, i32 0, i32 %v190
%v192 = zext i32 %next to i64
%v193 = mul i64 %v192, 832
%v194 = getelementptr i8, ptr %frames, i64 %v193
%v195 = getelementptr i8, ptr %v194, i64 0
%v196 = load i32, ptr %v195, align 4
%v197 = icmp eq i32 %v196, -1
%v198 = getelementptr i8, ptr %v194, i64 20
%v199 = load i32, ptr %v198, align 4
%v200 = icmp ne i32 %v199, 0
%v201 = getelementptr i8, ptr %v194, i64 4
%v202 = load i32, ptr %v201, align 4
%v203 = getelementptr i8, ptr %v194, i64 8
%v204 = load i32, ptr %v203, align 4
%v205 = icmp slt i32 %v202, 0
%v206 = select i1 %v205, i32 0, i32 %v202
%v207 = mul i32 0, 32
%v208 = getelementptr i8, ptr %w, i64 264
%v209 = getelementptr i8, ptr %v208, i32 %v207
%v210 = load i32, ptr %v209, align 4
%v211 = icmp ne i32 %v210, %v204
%v212 = or i1 %v205, %v211
%v213 = or i1 %v197, %v200
%v214 = xor i1 %v213, true
%v215 = and i1 %v212, %v214
br i1 %v215, label %ready, label %rest
rest:
%v216 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v216, align 4
ret i32 5
ready:
br label %warp
}

define <32 x i32> @openptx.shared.gather.ed22cd065aa916d0(<32 x ptr> %at, i32 %lanes) noinline nounwind #0 {
entry:
%mask = bitcast i32 %lanes to <32 x i1>
%all = icmp eq i32 %lanes, -1
br i1 %all, label %whole, label %part
whole:
%o0 = extractelement <32 x ptr> %at, i32 0
%o1 = load i32, ptr %o0, align 4, !tbaa !6
%o2 = insertelement <32 x i32> poison, i32 %o1, i32 0
%o3 = extractelement <32 x ptr> %at, i32 1
%o4 = load i32, ptr %o3, align 4, !tbaa !6
%o5 = insertelement <32 x i32> %o2, i32 %o4, i32 1
%o6 = extractelement <32 x ptr> %at, i32 2
%o7 = load i32, ptr %o6, align 4, !tbaa !6
%o8 = insertelement <32 x i32> %o5, i32 %o7, i32 2
%o9 = extractelement <32 x ptr> %at, i32 3
%o10 = load i32, ptr %o9, align 4, !tbaa !6
%o11 = insertelement <32 x i32> %o8, i32 %o10, i32 3
%o12 = extractelement <32 x ptr> %at, i32 4
%o13 = load i32, ptr %o12, align 4, !tbaa !6
%o14 = insertelement <32 x i32> %o11, i32 %o13, i32 4
%o15 = extractelement <32 x ptr> %at, i32 5
%o16 = load i32, ptr %o15, align 4, !tbaa !6
%o17 = insertelement <32 x i32> %o14, i32 %o16, i32 5
%o18 = extractelement <32 x ptr> %at, i32 6
%o19 = load i32, ptr %o18, align 4, !tbaa !6
%o20 = insertelement <32 x i32> %o17, i32 %o19, i32 6
%o21 = extractelement <32 x ptr> %at, i32 7
%o22 = load i32, ptr %o21, align 4, !tbaa !6
%o23 = insertelement <32 x i32> %o20, i32 %o22, i32 7
%o24 = extractelement <32 x ptr> %at, i32 8
%o25 = load i32, ptr %o24, align 4, !tbaa !6
%o26 = insertelement <32 x i32> %o23, i32 %o25, i32 8
%o27 = extractelement <32 x ptr> %at, i32 9
%o28 = load i32, ptr %o27, align 4, !tbaa !6
%o29 = insertelement <32 x i32> %o26, i32 %o28, i32 9
%o30 = extractelement <32 x ptr> %at, i32 10
%o31 = load i32, ptr %o30, align 4, !tbaa !6
%o32 = insertelement <32 x i32> %o29, i32 %o31, i32 10
%o33 = extractelement <32 x ptr> %at, i32 11
%o34 = load i32, ptr %o33, align 4, !tbaa !6
%o35 = insertelement <32 x i32> %o32, i32 %o34, i32 11
%o36 = extractelement <32 x ptr> %at, i32 12
%o37 = load i32, ptr %o36, align 4, !tbaa !6
%o38 = insertelement <32 x i32> %o35, i32 %o37, i32 12
%o39 = extractelement <32 x ptr> %at, i32 13
%o40 = load i32, ptr %o39, align 4, !tbaa !6
%o41 = insertelement <32 x i32> %o38, i32 %o40, i32 13
%o42 = extractelement <32 x ptr> %at, i32 14
%o43 = load i32, ptr %o42, align 4, !tbaa !6
%o44 = insertelement <32 x i32> %o41, i32 %o43, i32 14
%o45 = extractelement <32 x ptr> %at, i32 15
%o46 = load i32, ptr %o45, align 4, !tbaa !6
%o47 = insertelement <32 x i32> %o44, i32 %o46, i32 15
%o48 = extractelement <32 x ptr> %at, i32 16
%o49 = load i32, ptr %o48, align 4, !tbaa !6
%o50 = insertelement <32 x i32> %o47, i32 %o49, i32 16
%o51 = extractelement <32 x ptr> %at, i32 17
%o52 = load i32, ptr %o51, align 4, !tbaa !6
%o53 = insertelement <32 x i32> %o50, i32 %o52, i32 17
%o54 = extractelement <32 x ptr> %at, i32 18
%o55 = load i32, ptr %o54, align 4, !tbaa !6
%o56 = insertelement <32 x i32> %o53, i32 %o55, i32 18
%o57 = extractelement <32 x ptr> %at, i32 19
%o58 = load i32, ptr %o57, align 4, !tbaa !6
%o59 = insertelement <32 x i32> %o56, i32 %o58, i32 19
%o60 = extractelement <32 x ptr> %at, i32 20
%o61 = load i32, ptr %o60, align 4, !tbaa !6
%o62 = insertelement <32 x i32> %o59, i32 %o61, i32 20
%o63 = extractelement <32 x ptr> %at, i32 21
%o64 = load i32, ptr %o63, align 4, !tbaa !6
%o65 = insertelement <32 x i32> %o62, i32 %o64, i32 21
%o66 = extractelement <32 x ptr> %at, i32 22
%o67 = load i32, ptr %o66, align 4, !tbaa !6
%o68 = insertelement <32 x i32> %o65, i32 %o67, i32 22
%o69 = extractelement <32 x ptr> %at, i32 23
%o70 = load i32, ptr %o69, align 4, !tbaa !6
%o71 = insertelement <32 x i32> %o68, i32 %o70, i32 23
%o72 = extractelement <32 x ptr> %at, i32 24
%o73 = load i32, ptr %o72, align 4, !tbaa !6
%o74 = insertelement <32 x i32> %o71, i32 %o73, i32 24
%o75 = extractelement <32 x ptr> %at, i32 25
%o76 = load i32, ptr %o75, align 4, !tbaa !6
%o77 = insertelement <32 x i32> %o74, i32 %o76, i32 25
%o78 = extractelement <32 x ptr> %at, i32 26
%o79 = load i32, ptr %o78, align 4, !tbaa !6
%o80 = insertelement <32 x i32> %o77, i32 %o79, i32 26
%o81 = extractelement <32 x ptr> %at, i32 27
%o82 = load i32, ptr %o81, align 4, !tbaa !6
%o83 = insertelement <32 x i32> %o80, i32 %o82, i32 27
%o84 = extractelement <32 x ptr> %at, i32 28
%o85 = load i32, ptr %o84, align 4, !tbaa !6
%o86 = insertelement <32 x i32> %o83, i32 %o85, i32 28
%o87 = extractelement <32 x ptr> %at, i32 29
%o88 = load i32, ptr %o87, align 4, !tbaa !6
%o89 = insertelement <32 x i32> %o86, i32 %o88, i32 29
%o90 = extractelement <32 x ptr> %at, i32 30
%o91 = load i32, ptr %o90, align 4, !tbaa !6
%o92 = insertelement <32 x i32> %o89, i32 %o91, i32 30
%o93 = extractelement <32 x ptr> %at, i32 31
%o94 = load i32, ptr %o93, align 4, !tbaa !6
%o95 = insertelement <32 x i32> %o92, i32 %o94, i32 31
ret <32 x i32> %o95
part:
%r = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %at, <32 x i1> %mask, <32 x i32> zeroinitializer), !tbaa !6
ret <32 x i32> %r
}

define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r1 = alloca i64, align 64
%r6 = alloca <32 x i64>, align 64
%r7 = alloca <32 x i32>, align 64
%fuel = alloca i32, align 4
store i32 16384, ptr %fuel, align 4
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
%v12 = lshr i64 %v9, 32
%v13 = getelementptr i8, ptr %w, i64 8
%v14 = load i64, ptr %v13, align 4, !tbaa !5
%v15 = sub i64 %v12, 16
%v16 = sub i64 %v14, 16
%v17 = icmp ult i64 %v15, %v16
%v18 = select i1 %v17, i64 %v12, i64 0
%v19 = getelementptr [32 x i8], ptr %v1, i64 %v18
%v20 = getelementptr i8, ptr %v19, i64 0
%v21 = getelementptr i8, ptr %v19, i64 8
%v22 = getelementptr i8, ptr %v19, i64 16
%v23 = getelementptr i8, ptr %v19, i64 24
%v24 = load i64, ptr %v20, align 8, !tbaa !5
%v25 = load i64, ptr %v21, align 8, !tbaa !5
%v26 = load i64, ptr %v22, align 8, !tbaa !5
%v27 = load i64, ptr %v23, align 8, !tbaa !5
%v28 = add i64 %v24, 3
%v29 = and i64 %v28, -4
%v30 = sub i64 %v29, %v24
%v31 = sub i64 %v25, %v30
%v32 = sub i64 %v26, %v30
%v33 = add i64 %v29, %v27
%v34 = inttoptr i64 %v33 to ptr
%v35 = sub i64 %v9, %v29
%v36 = sub i64 %v31, 127
%v37 = call i64 @llvm.smax.i64(i64 %v36, i64 0)
%v38 = add i64 %v37, 3
%v39 = lshr i64 %v38, 2
%v40 = sub i64 %v25, 3
%v41 = call i64 @llvm.smax.i64(i64 %v40, i64 0)
%v42 = lshr i64 %v11, 32
%v43 = sub i64 %v42, 16
%v44 = icmp ult i64 %v43, %v16
%v45 = select i1 %v44, i64 %v42, i64 0
%v46 = getelementptr [32 x i8], ptr %v1, i64 %v45
%v47 = getelementptr i8, ptr %v46, i64 0
%v48 = getelementptr i8, ptr %v46, i64 8
%v49 = getelementptr i8, ptr %v46, i64 16
%v50 = getelementptr i8, ptr %v46, i64 24
%v51 = load i64, ptr %v47, align 8, !tbaa !5
%v52 = load i64, ptr %v48, align 8, !tbaa !5
%v53 = load i64, ptr %v49, align 8, !tbaa !5
%v54 = load i64, ptr %v50, align 8, !tbaa !5
%v55 = sub i64 %v53, 3
%v56 = call i64 @llvm.smax.i64(i64 %v55, i64 0)
%v57 = sub i64 %v26, 3
%v58 = call i64 @llvm.smax.i64(i64 %v57, i64 0)
br label %cta
cta:
%begin = phi i32 [ %start, %entry ], [ 0, %beside ]
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
%v59 = zext i32 %first32 to i64
%v60 = mul i64 %v59, 4
%v61 = add i64 %v9, %v60
%v62 = sub i64 %v61, %v9
%v63 = add i64 %v35, %v62
%v64 = call i64 @llvm.fshr.i64(i64 %v63, i64 %v63, i64 2)
%v65 = icmp ult i64 %v64, %v39
br i1 %v65, label %b66, label %b67, !prof !1
b66:
%v68 = getelementptr i8, ptr %v34, i64 %v63
%v69 = load <32 x i32>, ptr %v68, align 4, !tbaa !6
br label %b70
b67:
%v71 = add i64 %v29, %v63
%v72 = zext i32 -1 to i64
%v73 = call i1 @openptx.load_span(ptr %w, i64 %v72, i64 21474903041, i64 %first, i64 0, i64 %v71, ptr @span.0)
br i1 %v73, label %failed, label %b74, !prof !0
b74:
%v75 = getelementptr i8, ptr %w, i64 1280
%v76 = load volatile <32 x i32>, ptr %v75, align 4, !tbaa !5
br label %b70
b70:
%v77 = phi <32 x i32> [%v69, %b66], [%v76, %b74]
%v78 = zext <32 x i32> %v77 to <32 x i64>
%v79 = mul <32 x i64> %v78, splat (i64 4)
%v80 = insertelement <32 x i64> poison, i64 %v9, i32 0
%v81 = shufflevector <32 x i64> %v80, <32 x i64> poison, <32 x i32> zeroinitializer
%v82 = add <32 x i64> %v81, %v79
%v83 = insertelement <32 x i64> poison, i64 %v24, i32 0
%v84 = shufflevector <32 x i64> %v83, <32 x i64> poison, <32 x i32> zeroinitializer
%v85 = sub <32 x i64> %v82, %v84
%v86 = insertelement <32 x i64> poison, i64 %v41, i32 0
%v87 = shufflevector <32 x i64> %v86, <32 x i64> poison, <32 x i32> zeroinitializer
%v88 = icmp uge <32 x i64> %v85, %v87
%v89 = and <32 x i64> %v82, splat (i64 3)
%v90 = icmp ne <32 x i64> %v89, zeroinitializer
%v91 = or <32 x i1> %v88, %v90
%v92 = bitcast <32 x i1> %v91 to i32
%v93 = icmp ne i32 %v92, 0
%v94 = xor i1 %v93, true
br i1 %v94, label %b95, label %b96, !prof !1
b95:
%v97 = shufflevector <32 x i64> %v82, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%v98 = load <32 x i64>, ptr @lanes.1, align 64, !invariant.load !7
%v99 = add <32 x i64> %v97, %v98
%v100 = icmp eq <32 x i64> %v82, %v99
%v101 = bitcast <32 x i1> %v100 to i32
%v102 = icmp eq i32 %v101, -1
br i1 %v102, label %b103, label %b104, !prof !1
b103:
%v105 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v106 = shufflevector <32 x i64> %v105, <32 x i64> poison, <32 x i32> zeroinitializer
%v107 = add <32 x i64> %v82, %v106
%v108 = inttoptr <32 x i64> %v107 to <32 x ptr>
%v109 = extractelement <32 x ptr> %v108, i32 0
%v110 = extractelement <32 x ptr> %v108, i32 16
%v111 = load <16 x i32>, ptr %v109, align 4, !tbaa !6
%v112 = load <16 x i32>, ptr %v110, align 4, !tbaa !6
%v113 = shufflevector <16 x i32> %v111, <16 x i32> %v112, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
br label %b114
b104:
%v115 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v116 = shufflevector <32 x i64> %v115, <32 x i64> poison, <32 x i32> zeroinitializer
%v117 = add <32 x i64> %v82, %v116
%v118 = inttoptr <32 x i64> %v117 to <32 x ptr>
%v119 = call <32 x i32> @openptx.shared.gather.ed22cd065aa916d0(<32 x ptr> %v118, i32 -1)
br label %b114
b114:
%v120 = phi <32 x i32> [%v113, %b103], [%v119, %b104]
br label %b121
b96:
%v122 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v82, ptr %v122, align 64, !tbaa !5
%v123 = zext i32 -1 to i64
%v124 = call i1 @openptx.load(ptr %w, i64 %v123, i64 34359804929, i64 %first, i64 0)
br i1 %v124, label %failed, label %b125, !prof !0
b125:
%v126 = getelementptr i8, ptr %w, i64 1280
%v127 = load volatile <32 x i32>, ptr %v126, align 4, !tbaa !5
br label %b121
b121:
%v128 = phi <32 x i32> [%v120, %b114], [%v127, %b125]
store i64 %v11, ptr %r1, align 4
store <32 x i64> %v82, ptr %r6, align 4
store <32 x i32> %v128, ptr %r7, align 4
br label %block1
block1:
; 9
%v129 = load <32 x i32>, ptr %r7, align 4
%v130 = shufflevector <32 x i32> %v129, <32 x i32> poison, <32 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14, i32 17, i32 16, i32 19, i32 18, i32 21, i32 20, i32 23, i32 22, i32 25, i32 24, i32 27, i32 26, i32 29, i32 28, i32 31, i32 30>
%v131 = uitofp <32 x i32> %v130 to <32 x float>
%v132 = call <32 x i32> @llvm.fptoui.sat.v32i32.v32f32(<32 x float> %v131)
%v133 = icmp ne <32 x i32> %v132, zeroinitializer
%v134 = xor <32 x i1> %v133, splat (i1 true)
%v135 = load i64, ptr %r1, align 4
%v136 = bitcast <32 x i1> %v133 to i32
%v137 = icmp ne i32 %v136, 0
br i1 %v137, label %b138, label %b139
b138:
%v140 = select <32 x i1> %v133, <32 x i32> %v132, <32 x i32> zeroinitializer
%v141 = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %v140)
%v142 = insertelement <32 x i64> poison, i64 %v135, i32 0
%v143 = shufflevector <32 x i64> %v142, <32 x i64> poison, <32 x i32> zeroinitializer
%v144 = insertelement <32 x i64> poison, i64 %v51, i32 0
%v145 = shufflevector <32 x i64> %v144, <32 x i64> poison, <32 x i32> zeroinitializer
%v146 = sub <32 x i64> %v143, %v145
%v147 = insertelement <32 x i64> poison, i64 %v56, i32 0
%v148 = shufflevector <32 x i64> %v147, <32 x i64> poison, <32 x i32> zeroinitializer
%v149 = icmp uge <32 x i64> %v146, %v148
%v150 = and <32 x i64> %v143, splat (i64 3)
%v151 = icmp ne <32 x i64> %v150, zeroinitializer
%v152 = or <32 x i1> %v149, %v151
%v153 = and <32 x i1> %v152, %v133
%v154 = bitcast <32 x i1> %v153 to i32
%v155 = icmp ne i32 %v154, 0
br i1 %v155, label %b156, label %b157, !prof !0
b156:
%v158 = insertelement <32 x i64> poison, i64 %v135, i32 0
%v159 = shufflevector <32 x i64> %v158, <32 x i64> poison, <32 x i32> zeroinitializer
%v160 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v159, ptr %v160, align 64, !tbaa !5
%v161 = bitcast <32 x i1> %v133 to i32
%v162 = zext i32 %v161 to i64
%v163 = call i1 @openptx.places(ptr %w, i64 %v162, i64 55834641409, i64 %first, i64 0)
br i1 %v163, label %failed, label %b164, !prof !0
b164:
%v165 = getelementptr i8, ptr %w, i64 1024
%v166 = load volatile <32 x ptr>, ptr %v165, align 64, !tbaa !5
br label %b167
b157:
%v168 = insertelement <32 x i64> poison, i64 %v54, i32 0
%v169 = shufflevector <32 x i64> %v168, <32 x i64> poison, <32 x i32> zeroinitializer
%v170 = add <32 x i64> %v143, %v169
%v171 = inttoptr <32 x i64> %v170 to <32 x ptr>
br label %b167
b167:
%v172 = phi <32 x ptr> [%v166, %b164], [%v171, %b157]
%v173 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %v172, ptr %v173, align 64, !tbaa !5
%v174 = bitcast <32 x i1> %v133 to i32
%v175 = call i32 @llvm.cttz.i32(i32 %v174, i1 false)
%v176 = getelementptr i8, ptr %w, i64 1024
%v177 = getelementptr i64, ptr %v176, i32 %v175
%v178 = load volatile ptr, ptr %v177, align 8, !tbaa !5
%v179 = load i32, ptr %v178, align 4, !tbaa !6
%v180 = add i32 %v179, %v141
store i32 %v180, ptr %v178, align 4, !tbaa !6
br label %b139
b139:
%v181 = phi i32 [%v179, %b167], [0, %block1]
%v182 = load <32 x i64>, ptr %r6, align 4
%v183 = insertelement <32 x i64> poison, i64 %v24, i32 0
%v184 = shufflevector <32 x i64> %v183, <32 x i64> poison, <32 x i32> zeroinitializer
%v185 = sub <32 x i64> %v182, %v184
%v186 = insertelement <32 x i64> poison, i64 %v58, i32 0
%v187 = shufflevector <32 x i64> %v186, <32 x i64> poison, <32 x i32> zeroinitializer
%v188 = icmp uge <32 x i64> %v185, %v187
%v189 = and <32 x i64> %v182, splat (i64 3)
%v190 = icmp ne <32 x i64> %v189, zeroinitializer
%v191 = or <32 x i1> %v188, %v190
%v192 = bitcast <32 x i1> %v191 to i32
%v193 = icmp ne i32 %v192, 0
%v194 = xor i1 %v193, true
br i1 %v194, label %b195, label %b196, !prof !1
b196:
%v197 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v132, ptr %v197, align 4, !tbaa !5
%v198 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v182, ptr %v198, align 64, !tbaa !5
%v199 = zext i32 -1 to i64
%v200 = call i1 @openptx.store(ptr %w, i64 %v199, i64 60129608705, i64 %first, i64 0)
br i1 %v200, label %failed, label %b201, !prof !0
b201:
br label %b202
b195:
%v203 = shufflevector <32 x i64> %v182, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%v204 = load <32 x i64>, ptr @lanes.1, align 64, !invariant.load !7
%v205 = add <32 x i64> %v203, %v204
%v206 = icmp eq <32 x i64> %v182, %v205
%v207 = bitcast <32 x i1> %v206 to i32
%v208 = icmp eq i32 %v207, -1
br i1 %v208, label %b209, label %b210
b209:
%v211 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v212 = shufflevector <32 x i64> %v211, <32 x i64> poison, <32 x i32> zeroinitializer
%v213 = add <32 x i64> %v182, %v212
%v214 = inttoptr <32 x i64> %v213 to <32 x ptr>
%v215 = extractelement <32 x ptr> %v214, i32 0
%v216 = extractelement <32 x ptr> %v214, i32 16
%v217 = shufflevector <32 x i32> %v132, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
store <16 x i32> %v217, ptr %v215, align 4, !tbaa !6
%v218 = shufflevector <32 x i32> %v132, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
store <16 x i32> %v218, ptr %v216, align 4, !tbaa !6
br label %b219
b210:
%v220 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v221 = shufflevector <32 x i64> %v220, <32 x i64> poison, <32 x i32> zeroinitializer
%v222 = add <32 x i64> %v182, %v221
%v223 = inttoptr <32 x i64> %v222 to <32 x ptr>
call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %v132, <32 x ptr> align 4 %v223, <32 x i1> splat (i1 true)), !tbaa !6
br label %b219
b219:
br label %b202
b202:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v224 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v224, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v225 = icmp ult i32 %next, 2
br i1 %v225, label %ready, label %rest
rest:
%v226 = getelementptr i8, ptr %w, i64 928
%v227 = load i32, ptr %v226, align 4
%v228 = add i32 %v227, -1
store i32 %v228, ptr %v226, align 4
%v229 = getelementptr i8, ptr %w, i64 120
%v230 = load ptr, ptr %v229, align 8
%v231 = getelementptr i8, ptr %v230, i64 16
%v232 = load volatile i32, ptr %v231, align 4
%v233 = icmp ne i32 %v228, 0
%v234 = icmp eq i32 %v232, 0
%v235 = and i1 %v233, %v234
br i1 %v235, label %beside, label %done
done:
ret i32 0
beside:
%v236 = getelementptr i8, ptr %w, i64 64
%v237 = load i32, ptr %v236, align 4
%v238 = add i32 %v237, 1
store i32 %v238, ptr %v236, align 4
%v239 = getelementptr i8, ptr %w, i64 88
%v240 = load i64, ptr %v239, align 4
%v241 = add i64 %v240, 1
store i64 %v241, ptr %v239, align 4
%v242 = getelementptr i8, ptr %w, i64 848
%v243 = load i64, ptr %v242, align 4
%v244 = add i64 %v243, 1
store i64 %v244, ptr %v242, align 4
br label %cta
ready:
br label %warp
}

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

define internal <32 x i32> @gather.i32(<32 x ptr> %at, i32 %lanes) noinline nounwind #0 {
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
%v71 = zext i32 -1 to i64
%v72 = call i1 @span.load.0(ptr %w, i64 %v71, i64 %v29, i64 %v63, i64 %first, i64 0)
br i1 %v72, label %b73, label %b74, !prof !0
b73:
%v75 = getelementptr i8, ptr %w, i64 196
store i32 5, ptr %v75, align 4
br label %failed
b74:
%v76 = getelementptr i8, ptr %w, i64 1280
%v77 = load volatile <32 x i32>, ptr %v76, align 4, !tbaa !5
br label %b70
b70:
%v78 = phi <32 x i32> [%v69, %b66], [%v77, %b74]
%v79 = zext <32 x i32> %v78 to <32 x i64>
%v80 = mul <32 x i64> %v79, splat (i64 4)
%v81 = insertelement <32 x i64> poison, i64 %v9, i32 0
%v82 = shufflevector <32 x i64> %v81, <32 x i64> poison, <32 x i32> zeroinitializer
%v83 = add <32 x i64> %v82, %v80
%v84 = insertelement <32 x i64> poison, i64 %v24, i32 0
%v85 = shufflevector <32 x i64> %v84, <32 x i64> poison, <32 x i32> zeroinitializer
%v86 = sub <32 x i64> %v83, %v85
%v87 = insertelement <32 x i64> poison, i64 %v41, i32 0
%v88 = shufflevector <32 x i64> %v87, <32 x i64> poison, <32 x i32> zeroinitializer
%v89 = icmp uge <32 x i64> %v86, %v88
%v90 = and <32 x i64> %v83, splat (i64 3)
%v91 = icmp ne <32 x i64> %v90, zeroinitializer
%v92 = or <32 x i1> %v89, %v91
%v93 = bitcast <32 x i1> %v92 to i32
%v94 = icmp ne i32 %v93, 0
%v95 = xor i1 %v94, true
br i1 %v95, label %b96, label %b97, !prof !1
b96:
%v98 = shufflevector <32 x i64> %v83, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%v99 = load <32 x i64>, ptr @lanes.1, align 64, !invariant.load !7
%v100 = add <32 x i64> %v98, %v99
%v101 = icmp eq <32 x i64> %v83, %v100
%v102 = bitcast <32 x i1> %v101 to i32
%v103 = icmp eq i32 %v102, -1
br i1 %v103, label %b104, label %b105, !prof !1
b104:
%v106 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v107 = shufflevector <32 x i64> %v106, <32 x i64> poison, <32 x i32> zeroinitializer
%v108 = add <32 x i64> %v83, %v107
%v109 = inttoptr <32 x i64> %v108 to <32 x ptr>
%v110 = extractelement <32 x ptr> %v109, i32 0
%v111 = extractelement <32 x ptr> %v109, i32 16
%v112 = load <16 x i32>, ptr %v110, align 4, !tbaa !6
%v113 = load <16 x i32>, ptr %v111, align 4, !tbaa !6
%v114 = shufflevector <16 x i32> %v112, <16 x i32> %v113, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
br label %b115
b105:
%v116 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v117 = shufflevector <32 x i64> %v116, <32 x i64> poison, <32 x i32> zeroinitializer
%v118 = add <32 x i64> %v83, %v117
%v119 = inttoptr <32 x i64> %v118 to <32 x ptr>
%v120 = call <32 x i32> @gather.i32(<32 x ptr> %v119, i32 -1)
br label %b115
b115:
%v121 = phi <32 x i32> [%v114, %b104], [%v120, %b105]
br label %b122
b97:
%v123 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v83, ptr %v123, align 64, !tbaa !5
%v124 = zext i32 -1 to i64
%v125 = call i1 @openptx.load(ptr %w, i64 %v124, i64 66561, i64 %first, i64 0)
br i1 %v125, label %b126, label %b127, !prof !0
b126:
%v128 = getelementptr i8, ptr %w, i64 196
store i32 8, ptr %v128, align 4
br label %failed
b127:
%v129 = getelementptr i8, ptr %w, i64 1280
%v130 = load volatile <32 x i32>, ptr %v129, align 4, !tbaa !5
br label %b122
b122:
%v131 = phi <32 x i32> [%v121, %b115], [%v130, %b127]
store i64 %v11, ptr %r1, align 4
store <32 x i64> %v83, ptr %r6, align 4
store <32 x i32> %v131, ptr %r7, align 4
br label %block1
block1:
; 9
%v132 = load <32 x i32>, ptr %r7, align 4
%v133 = shufflevector <32 x i32> %v132, <32 x i32> poison, <32 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14, i32 17, i32 16, i32 19, i32 18, i32 21, i32 20, i32 23, i32 22, i32 25, i32 24, i32 27, i32 26, i32 29, i32 28, i32 31, i32 30>
%v134 = uitofp <32 x i32> %v133 to <32 x float>
%v135 = call <32 x i32> @llvm.fptoui.sat.v32i32.v32f32(<32 x float> %v134)
%v136 = icmp ne <32 x i32> %v135, zeroinitializer
%v137 = xor <32 x i1> %v136, splat (i1 true)
%v138 = load i64, ptr %r1, align 4
%v139 = bitcast <32 x i1> %v136 to i32
%v140 = icmp ne i32 %v139, 0
br i1 %v140, label %b141, label %b142
b141:
%v143 = select <32 x i1> %v136, <32 x i32> %v135, <32 x i32> zeroinitializer
%v144 = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %v143)
%v145 = insertelement <32 x i64> poison, i64 %v138, i32 0
%v146 = shufflevector <32 x i64> %v145, <32 x i64> poison, <32 x i32> zeroinitializer
%v147 = insertelement <32 x i64> poison, i64 %v51, i32 0
%v148 = shufflevector <32 x i64> %v147, <32 x i64> poison, <32 x i32> zeroinitializer
%v149 = sub <32 x i64> %v146, %v148
%v150 = insertelement <32 x i64> poison, i64 %v56, i32 0
%v151 = shufflevector <32 x i64> %v150, <32 x i64> poison, <32 x i32> zeroinitializer
%v152 = icmp uge <32 x i64> %v149, %v151
%v153 = and <32 x i64> %v146, splat (i64 3)
%v154 = icmp ne <32 x i64> %v153, zeroinitializer
%v155 = or <32 x i1> %v152, %v154
%v156 = and <32 x i1> %v155, %v136
%v157 = bitcast <32 x i1> %v156 to i32
%v158 = icmp ne i32 %v157, 0
br i1 %v158, label %b159, label %b160, !prof !0
b159:
%v161 = insertelement <32 x i64> poison, i64 %v138, i32 0
%v162 = shufflevector <32 x i64> %v161, <32 x i64> poison, <32 x i32> zeroinitializer
%v163 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v162, ptr %v163, align 64, !tbaa !5
%v164 = bitcast <32 x i1> %v136 to i32
%v165 = zext i32 %v164 to i64
%v166 = call i1 @openptx.places(ptr %w, i64 %v165, i64 66561, i64 %first, i64 0)
br i1 %v166, label %b167, label %b168, !prof !0
b167:
%v169 = getelementptr i8, ptr %w, i64 196
store i32 13, ptr %v169, align 4
br label %failed
b168:
%v170 = getelementptr i8, ptr %w, i64 1024
%v171 = load volatile <32 x ptr>, ptr %v170, align 64, !tbaa !5
br label %b172
b160:
%v173 = insertelement <32 x i64> poison, i64 %v54, i32 0
%v174 = shufflevector <32 x i64> %v173, <32 x i64> poison, <32 x i32> zeroinitializer
%v175 = add <32 x i64> %v146, %v174
%v176 = inttoptr <32 x i64> %v175 to <32 x ptr>
br label %b172
b172:
%v177 = phi <32 x ptr> [%v171, %b168], [%v176, %b160]
%v178 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %v177, ptr %v178, align 64, !tbaa !5
%v179 = bitcast <32 x i1> %v136 to i32
%v180 = call i32 @llvm.cttz.i32(i32 %v179, i1 false)
%v181 = getelementptr i8, ptr %w, i64 1024
%v182 = getelementptr i64, ptr %v181, i32 %v180
%v183 = load volatile ptr, ptr %v182, align 8, !tbaa !5
%v184 = load i32, ptr %v183, align 4, !tbaa !6
%v185 = add i32 %v184, %v144
store i32 %v185, ptr %v183, align 4, !tbaa !6
br label %b142
b142:
%v186 = phi i32 [%v184, %b172], [0, %block1]
%v187 = load <32 x i64>, ptr %r6, align 4
%v188 = insertelement <32 x i64> poison, i64 %v24, i32 0
%v189 = shufflevector <32 x i64> %v188, <32 x i64> poison, <32 x i32> zeroinitializer
%v190 = sub <32 x i64> %v187, %v189
%v191 = insertelement <32 x i64> poison, i64 %v58, i32 0
%v192 = shufflevector <32 x i64> %v191, <32 x i64> poison, <32 x i32> zeroinitializer
%v193 = icmp uge <32 x i64> %v190, %v192
%v194 = and <32 x i64> %v187, splat (i64 3)
%v195 = icmp ne <32 x i64> %v194, zeroinitializer
%v196 = or <32 x i1> %v193, %v195
%v197 = bitcast <32 x i1> %v196 to i32
%v198 = icmp ne i32 %v197, 0
%v199 = xor i1 %v198, true
br i1 %v199, label %b200, label %b201, !prof !1
b201:
%v202 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v135, ptr %v202, align 4, !tbaa !5
%v203 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v187, ptr %v203, align 64, !tbaa !5
%v204 = zext i32 -1 to i64
%v205 = call i1 @openptx.store(ptr %w, i64 %v204, i64 66561, i64 %first, i64 0)
br i1 %v205, label %b206, label %b207, !prof !0
b206:
%v208 = getelementptr i8, ptr %w, i64 196
store i32 14, ptr %v208, align 4
br label %failed
b207:
br label %b209
b200:
%v210 = shufflevector <32 x i64> %v187, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%v211 = load <32 x i64>, ptr @lanes.1, align 64, !invariant.load !7
%v212 = add <32 x i64> %v210, %v211
%v213 = icmp eq <32 x i64> %v187, %v212
%v214 = bitcast <32 x i1> %v213 to i32
%v215 = icmp eq i32 %v214, -1
br i1 %v215, label %b216, label %b217
b216:
%v218 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v219 = shufflevector <32 x i64> %v218, <32 x i64> poison, <32 x i32> zeroinitializer
%v220 = add <32 x i64> %v187, %v219
%v221 = inttoptr <32 x i64> %v220 to <32 x ptr>
%v222 = extractelement <32 x ptr> %v221, i32 0
%v223 = extractelement <32 x ptr> %v221, i32 16
%v224 = shufflevector <32 x i32> %v135, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
store <16 x i32> %v224, ptr %v222, align 4, !tbaa !6
%v225 = shufflevector <32 x i32> %v135, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
store <16 x i32> %v225, ptr %v223, align 4, !tbaa !6
br label %b226
b217:
%v227 = insertelement <32 x i64> poison, i64 %v27, i32 0
%v228 = shufflevector <32 x i64> %v227, <32 x i64> poison, <32 x i32> zeroinitializer
%v229 = add <32 x i64> %v187, %v228
%v230 = inttoptr <32 x i64> %v229 to <32 x ptr>
call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %v135, <32 x ptr> align 4 %v230, <32 x i1> splat (i1 true)), !tbaa !6
br label %b226
b226:
br label %b209
b209:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v231 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v231, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v232 = icmp ult i32 %next, 2
br i1 %v232, label %ready, label %rest
rest:
%v233 = getelementptr i8, ptr %w, i64 928
%v234 = load i32, ptr %v233, align 4
%v235 = add i32 %v234, -1
store i32 %v235, ptr %v233, align 4
%v236 = getelementptr i8, ptr %w, i64 120
%v237 = load ptr, ptr %v236, align 8
%v238 = getelementptr i8, ptr %v237, i64 16
%v239 = load volatile i32, ptr %v238, align 4
%v240 = icmp ne i32 %v235, 0
%v241 = icmp eq i32 %v239, 0
%v242 = and i1 %v240, %v241
br i1 %v242, label %beside, label %done
done:
ret i32 0
beside:
%v243 = getelementptr i8, ptr %w, i64 64
%v244 = load i32, ptr %v243, align 4
%v245 = add i32 %v244, 1
store i32 %v245, ptr %v243, align 4
%v246 = getelementptr i8, ptr %w, i64 88
%v247 = load i64, ptr %v246, align 4
%v248 = add i64 %v247, 1
store i64 %v248, ptr %v246, align 4
%v249 = getelementptr i8, ptr %w, i64 848
%v250 = load i64, ptr %v249, align 4
%v251 = add i64 %v250, 1
store i64 %v251, ptr %v249, align 4
br label %cta
ready:
br label %warp
}

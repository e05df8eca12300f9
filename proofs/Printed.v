(** More printed forms that break privacy (errata 1): a walk by the exact length, and laws of scores
    that move too far. Each is refuted by data sets that Coq computes. *)

From Coq Require Import ZArith List Permutation Reals Lra Lia QArith Qreals.
From LeastNoise Require Import Law OrderStatistics SparseVector Refuted.
Import ListNotations.
Open Scope R_scope.

(** * (M.2) with the exact length: the distance to a data set whose value is the output *)

(** In how many records two data sets of one size differ. *)
Fixpoint hamming (xs ys : list Z) : nat :=
  match xs, ys with
  | x :: xs, y :: ys => (if Z.eqb x y then 0 else 1) + hamming xs ys
  | _, _ => 0
  end.

Fixpoint data_sets (records : list Z) (n : nat) : list (list Z) :=
  match n with
  | O => [[]]
  | S n => flat_map (fun x => map (cons x) (data_sets records n)) records
  end.

Definition least (l : option nat) (k : nat) : option nat :=
  match l with Some l => Some (Nat.min l k) | None => Some k end.

(** The least distance to a data set of value t; none where no data set has it. *)
Definition exact_length (f : list Z -> Z) (records xs : list Z) (t : Z) : option nat :=
  fold_left (fun l ys => if Z.eqb (f ys) t then least l (hamming xs ys) else l)
    (data_sets records (length xs)) None.

Lemma data_sets_spec records n ys :
  In ys (data_sets records n) <-> length ys = n /\ incl ys records.
Proof.
  revert ys. induction n as [|n IH]; intros ys; cbn [data_sets].
  - split; [intros [<-|[]]; split; [easy | intros x []]|].
    intros [H _]. left. symmetry. now apply length_zero_iff_nil.
  - rewrite in_flat_map. split.
    + intros [x [Hx H]]. apply in_map_iff in H as [zs [<- H]]. apply IH in H as [<- I].
      split; [easy|]. now apply incl_cons.
    + destruct ys as [|y ys]; intros [L I]; [easy|]. injection L as L.
      apply incl_cons_inv in I as [Hy I]. exists y. split; [easy|]. apply in_map, IH. easy.
Qed.

(** It is the infimum over all data sets of the same size. *)
Theorem exact_length_spec f records xs t :
  match exact_length f records xs t with
  | Some l =>
      (exists ys, length ys = length xs /\ incl ys records /\ f ys = t /\ hamming xs ys = l) /\
      forall ys, length ys = length xs -> incl ys records -> f ys = t -> (l <= hamming xs ys)%nat
  | None => forall ys, length ys = length xs -> incl ys records -> f ys <> t
  end.
Proof.
  unfold exact_length.
  assert (forall yss l,
    match fold_left (fun l ys => if Z.eqb (f ys) t then least l (hamming xs ys) else l) yss l with
    | Some k => (l = Some k \/ exists ys, In ys yss /\ f ys = t /\ hamming xs ys = k) /\
        (forall j, l = Some j -> k <= j)%nat /\
        forall ys, In ys yss -> f ys = t -> (k <= hamming xs ys)%nat
    | None => l = None /\ forall ys, In ys yss -> f ys <> t
    end) as G.
  { induction yss as [|zs yss IH]; intros l; cbn [fold_left].
    - destruct l as [k|]; [|easy]. split; [now left|]. split; [|easy].
      intros j [= ->]. lia.
    - specialize (IH (if Z.eqb (f zs) t then least l (hamming xs zs) else l)).
      destruct (fold_left _ yss _) as [k|].
      + destruct IH as [A [B C]]. destruct (Z.eqb_spec (f zs) t) as [E|E].
        * assert (k <= hamming xs zs)%nat as D.
          { destruct l as [j|]; cbn [least] in B; specialize (B _ eq_refl); lia. }
          split; [|split].
          -- destruct A as [A|[ys [I A]]]; [|right; exists ys; split; [now right | easy]].
             destruct l as [j|]; cbn [least] in A; injection A as A.
             ++ destruct (Nat.min_spec j (hamming xs zs)) as [[_ M]|[_ M]]; rewrite M in A; subst k.
                ** now left.
                ** right. exists zs. split; [now left | easy].
             ++ right. exists zs. split; [now left | easy].
          -- intros j ->. cbn [least] in B. specialize (B _ eq_refl). lia.
          -- intros ys [<-|I] F; [easy | now apply C].
        * split; [|split; [easy|]].
          -- destruct A as [A|[ys [I A]]]; [now left | right; exists ys; split; [now right | easy]].
          -- intros ys [<-|I] F; [easy | now apply C].
      + destruct IH as [A C]. destruct (Z.eqb_spec (f zs) t) as [E|E]; [now destruct l|].
        split; [easy|]. intros ys [<-|I]; [easy | now apply C]. }
  specialize (G (data_sets records (length xs)) None).
  destruct (fold_left _ _ _) as [k|].
  - destruct G as [[A|[ys [I [F H]]]] [_ C]]; [easy|]. apply data_sets_spec in I. split.
    + exists ys. easy.
    + intros zs L I' F'. apply C; [now apply data_sets_spec | easy].
  - intros ys L I. apply G. now apply data_sets_spec.
Qed.

(** The chance of an answer above at Z = z: exponential noise adds to sgn(t - f(x)) (len - 1/2),
    whose sign alone counts where len is infinite. *)
Definition printed_above (e2 : R) (f : list Z -> Z) (records xs : list Z) (t z : Z) : R :=
  match exact_length f records xs t with
  | Some l => fire e2 (z + ceiling_height 2 (Z.sgn (t - f xs) * (2 * Z.of_nat l - 1)))
  | None => if Z.ltb (f xs) t then 1 else 0
  end.

(** The probability that the first of the candidates stops the walk. *)
Definition printed_first (e1 e2 : R) (f : list Z -> Z) (records xs : list Z) (t : Z) (p : R) :
  Prop :=
  infinite_sum (fun z => geometric e1 z * printed_above e2 f records xs t (Z.of_nat z)) p.

(** A count of ones, in halves. *)
Definition twice_count (xs : list Z) : Z := 2 * total_of xs.

Lemma no_data_set_has_a_half :
  exact_length twice_count [0; 1]%Z [0]%Z 1 = None /\
  exact_length twice_count [0; 1]%Z [1]%Z 1 = None.
Proof. split; vm_compute; reflexivity. Qed.

(** A count of 0 against a count of 1, and the output 1/2: the first stops there always, the second
    never. *)
Theorem exact_length_loses_without_limit : exists f records xs ys t, replace_one xs ys /\
  forall e1 e2, 0 < e1 ->
  printed_first e1 e2 f records xs t 1 /\ printed_first e1 e2 f records ys t 0.
Proof.
  exists twice_count, [0; 1]%Z, [0]%Z, [1]%Z, 1%Z. split; [now exists 0%Z, 1%Z, []|].
  intros e1 e2 H. destruct no_data_set_has_a_half as [A B].
  unfold printed_first, printed_above. rewrite A, B. split.
  - intros eps Heps. pose proof (exp_pos (- e1)).
    assert (exp (- e1) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
    destruct (pow_lt_1_zero (exp (- e1)) ltac:(rewrite Rabs_pos_eq; lra) eps Heps) as [n Hn].
    exists n. intros m Hm. specialize (Hn (S m) ltac:(lia)).
    rewrite (sum_eq _ (geometric e1)) by (intros; cbn; ring). rewrite geometric_sum. unfold R_dist.
    replace (exp (- (e1 * INR (S m)))) with (exp (- e1) ^ S m).
    + replace (1 - exp (- e1) ^ S m - 1) with (- exp (- e1) ^ S m) by ring. now rewrite Rabs_Ropp.
    + rewrite <- (exp_power (exp (- e1))) by easy. rewrite ln_exp. f_equal. ring.
  - intros eps Heps. exists 0%nat. intros m _.
    rewrite (sum_eq _ (fun _ => 0)) by (intros; cbn; ring). unfold R_dist.
    rewrite sum_cte, Rmult_0_l, Rminus_0_r, Rabs_R0. easy.
Qed.

(** * Scores in parts of one, weighted with exp(- (epsilon / 2) score) *)

Definition scored (epsilon : R) (parts : nat) (score : Z -> nat) (outputs : list Z) : Z -> R :=
  prob (weight (fun _ => 1) (fun t => epsilon / 2 * (INR (score t) / INR parts))) outputs.

Fixpoint total_q (b : Q) (score : Z -> nat) (outputs : list Z) : Q :=
  match outputs with
  | [] => 0
  | t :: ts => Qred (power b (score t) + total_q b score ts)
  end.

(** With exp(- epsilon / (2 parts)) = b rational, what an output loses is a matter of rationals. *)
Lemma loses_more (b : Q) (k parts : nat) (score score' : Z -> nat) (outputs : list Z) (t : Z) :
  0 < Q2R b -> (0 < parts)%nat -> In t outputs ->
  (power b (score' t) * total_q b score outputs
   < power b k * (power b (score t) * total_q b score' outputs))%Q ->
  let epsilon := 2 * (INR parts * - ln (Q2R b)) in
  ~ close (INR k * - ln (Q2R b)) outputs (scored epsilon parts score outputs)
      (scored epsilon parts score' outputs).
Proof.
  intros B P Hin L epsilon C. specialize (C t Hin). unfold scored, prob in C.
  apply Qlt_Rlt in L. rewrite !Q2R_mult, !power_real in L.
  assert (forall (s : Z -> nat) u,
    weight (fun _ => 1) (fun v => epsilon / 2 * (INR (s v) / INR parts)) u = Q2R b ^ s u) as W.
  { intros s u. unfold weight. rewrite Rmult_1_l, <- (exp_power (Q2R b)) by easy. f_equal.
    unfold epsilon. field. now apply not_0_INR, Nat.neq_0_lt_0. }
  assert (forall (s : Z -> nat) us, Q2R (total_q b s us)
    = total (weight (fun _ => 1) (fun v => epsilon / 2 * (INR (s v) / INR parts))) us) as T.
  { intros s us. induction us as [|u us IH]; cbn [total_q total]; [unfold Q2R; cbn; lra|].
    now rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, power_real, IH, W. }
  assert (forall s : Z -> nat, 0 < Q2R (total_q b s outputs)) as G.
  { intros s. rewrite T. apply total_positive with t; [easy|]. intros u _. rewrite W.
    now apply pow_lt. }
  rewrite !W, <- !T in C.
  assert (exp (INR k * - ln (Q2R b)) = / Q2R b ^ k) as E.
  { rewrite <- (exp_power (Q2R b)) by easy. rewrite <- exp_Ropp. f_equal. ring. }
  rewrite E in C. pose proof (G score) as Gs. pose proof (G score') as Gs'.
  pose proof (pow_lt (Q2R b) k B). apply (Rmult_le_compat_r (Q2R (total_q b score outputs)
    * Q2R (total_q b score' outputs) * Q2R b ^ k)) in C;
    [|left; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; easy].
  replace (Q2R b ^ score t / Q2R (total_q b score outputs) * (Q2R (total_q b score outputs)
    * Q2R (total_q b score' outputs) * Q2R b ^ k))
    with (Q2R b ^ k * (Q2R b ^ score t * Q2R (total_q b score' outputs))) in C by (field; lra).
  replace (/ Q2R b ^ k * (Q2R b ^ score' t / Q2R (total_q b score' outputs))
    * (Q2R (total_q b score outputs) * Q2R (total_q b score' outputs) * Q2R b ^ k))
    with (Q2R b ^ score' t * Q2R (total_q b score outputs)) in C by (field; split; lra).
  lra.
Qed.

(** The outputs from [first] on. *)
Definition outputs_from (first : Z) (n : nat) : list Z :=
  map (fun i => first + Z.of_nat i)%Z (seq 0 n).

Lemma positive_rate (b : Q) (parts : nat) : 0 < Q2R b < 1 -> (0 < parts)%nat ->
  0 < 2 * (INR parts * - ln (Q2R b)).
Proof.
  intros B P. apply lt_INR in P. cbn in P.
  assert (ln (Q2R b) < 0) by (rewrite <- ln_1; apply ln_increasing; lra). nra.
Qed.

(** * Regression by the gradient with the factor n (Asi and Duchi, equation 17) *)

(** Least absolute deviations with r = 1: n times the gradient, times n as printed. Records are
    in halves, so that no output is one. *)
Definition printed_gradient (xs : list Z) (t : Z) : nat :=
  (length xs * Z.abs_nat (total_of (map (fun x => Z.sgn (t - x)) xs)))%nat.

Definition odd_outputs : list Z := [-7; -5; -3; -1; 1; 3; 5; 7]%Z.

Theorem printed_gradient_is_not_private : exists epsilon xs ys, 0 < epsilon /\ replace_one xs ys /\
  ~ close epsilon odd_outputs (scored epsilon 1 (printed_gradient xs) odd_outputs)
      (scored epsilon 1 (printed_gradient ys) odd_outputs).
Proof.
  assert (0 < Q2R (1 # 2) < 1) as B by (unfold Q2R; cbn; lra).
  exists (2 * (INR 1 * - ln (Q2R (1 # 2)))), [-8; 8]%Z, [0; 8]%Z.
  split; [now apply positive_rate; [|lia]|]. split; [now exists (-8)%Z, 0%Z, [8]%Z|].
  replace (2 * (INR 1 * - ln (Q2R (1 # 2)))) with (INR 2 * - ln (Q2R (1 # 2))) at 1
    by (cbn; ring).
  apply (loses_more (1 # 2) 2 1 _ _ _ (-1)); [easy | lia | cbn; tauto | vm_compute; reflexivity].
Qed.

(** * Exponential mechanism: epsilon / sensitivity (Durfee 2025, propositions 1 and 2) *)

Definition raised (t : Z) : nat := if Z.eqb t 0 then 0 else 2.
Definition lowered (t : Z) : nat := if Z.eqb t 0 then 2 else 0.

(** Scores that move by 2: not epsilon / 2, and not epsilon. *)
Theorem epsilon_is_not_divided_by_the_sensitivity : exists epsilon, 0 < epsilon /\
  (forall t, Z.abs (Z.of_nat (raised t) - Z.of_nat (lowered t)) <= 2)%Z /\
  ~ close (epsilon / 2) [0; 1; 2]%Z (scored epsilon 1 raised [0; 1; 2]%Z)
      (scored epsilon 1 lowered [0; 1; 2]%Z) /\
  ~ close epsilon [0; 1; 2]%Z (scored epsilon 1 raised [0; 1; 2]%Z)
      (scored epsilon 1 lowered [0; 1; 2]%Z).
Proof.
  assert (0 < Q2R (1 # 2) < 1) as B by (unfold Q2R; cbn; lra).
  exists (2 * (INR 1 * - ln (Q2R (1 # 2)))). split; [now apply positive_rate; [|lia]|].
  split; [intros t; unfold raised, lowered; destruct (Z.eqb t 0); cbn; lia|]. split.
  - replace (2 * (INR 1 * - ln (Q2R (1 # 2))) / 2) with (INR 1 * - ln (Q2R (1 # 2)))
      by (cbn; field).
    apply (loses_more (1 # 2) 1 1 _ _ _ 0); [easy | lia | cbn; tauto | vm_compute; reflexivity].
  - replace (2 * (INR 1 * - ln (Q2R (1 # 2)))) with (INR 2 * - ln (Q2R (1 # 2))) at 1
      by (cbn; ring).
    apply (loses_more (1 # 2) 2 1 _ _ _ 0); [easy | lia | cbn; tauto | vm_compute; reflexivity].
Qed.

(** * Radii that are the global sensitivity from level 2 on only (Durfee 2025, section 5.2) *)

(** R_1 is a bound of the local sensitivity, R_2 = R_3 = ... = 1; the score is the level and
    the part of it, in fifths. *)
Definition printed_radius (centre local t : Z) : nat :=
  let far := Z.abs (t - centre) in
  Z.to_nat (5 + if Z.leb far local then 5 * far / local else 5 * (1 + far - local))%Z.

Theorem a_radius_above_the_sensitivity_is_not_private : exists epsilon, 0 < epsilon /\
  let outputs := outputs_from (-20) 41 in
  ~ close epsilon outputs (scored epsilon 5 (printed_radius 1 5) outputs)
      (scored epsilon 5 (printed_radius 0 1) outputs).
Proof.
  assert (0 < Q2R (4 # 5) < 1) as B by (unfold Q2R; cbn; lra).
  exists (2 * (INR 5 * - ln (Q2R (4 # 5)))). split; [now apply positive_rate; [|lia]|].
  intros outputs.
  replace (2 * (INR 5 * - ln (Q2R (4 # 5)))) with (INR 10 * - ln (Q2R (4 # 5))) at 1
    by (cbn; ring).
  apply (loses_more (4 # 5) 10 5 _ _ _ 6); [easy | lia | | vm_compute; reflexivity].
  apply in_map_iff. exists 26%nat. split; [easy | apply in_seq; lia].
Qed.

(** * A plateau that scores 0 (Durfee 2025, the rho-smooth form) *)

(** The one record [x] of the range [0, 20], rho = 1, in twentieths: level 1 ends one beyond. *)
Definition plateau_of_zero (x t : Z) : nat :=
  if Z.leb (Z.abs (t - x)) 1 then 0
  else Z.to_nat (20 + 20 * (Z.abs (t - x) - 1) / (if Z.ltb x t then 20 - x else x))%Z.

Theorem a_plateau_of_zero_is_not_private : exists epsilon, 0 < epsilon /\
  let outputs := outputs_from 0 21 in
  ~ close epsilon outputs (scored epsilon 20 (plateau_of_zero 0) outputs)
      (scored epsilon 20 (plateau_of_zero 10) outputs).
Proof.
  assert (0 < Q2R (6 # 7) < 1) as B by (unfold Q2R; cbn; lra).
  exists (2 * (INR 20 * - ln (Q2R (6 # 7)))). split; [now apply positive_rate; [|lia]|].
  intros outputs.
  replace (2 * (INR 20 * - ln (Q2R (6 # 7)))) with (INR 40 * - ln (Q2R (6 # 7))) at 1
    by (cbn; ring).
  apply (loses_more (6 # 7) 40 20 _ _ _ 0); [easy | lia | now left | vm_compute; reflexivity].
Qed.

(** * K-norm noise of the box alone, and a rate of the wrong sign (Awan and Slavkovic) *)

(** Algorithm 8 as printed adds U, uniform on K: around 0 or 1, the box [-4, 4]. *)
Theorem noise_of_the_box_loses_without_limit : exists ts, forall epsilon c,
  ~ close c ts (prob (length_weight epsilon (fun _ => -3)%Z (fun _ => 5)%Z 0) ts)
      (prob (length_weight epsilon (fun _ => -4)%Z (fun _ => 4)%Z 0) ts).
Proof.
  exists (outputs_from (-4) 10). intros epsilon. apply never_given with 5%Z; [|easy | easy].
  apply in_map_iff. exists 9%nat. split; [easy | apply in_seq; lia].
Qed.

(** Algorithm 2: no regularisation has the printed gamma. *)
Theorem printed_gamma_is_negative lambda epsilon q : 0 < lambda -> 0 < epsilon -> q < 1 ->
  lambda / (exp (epsilon * (q - 1)) - 1) < 0.
Proof.
  intros L E Q. assert (epsilon * (q - 1) < 0) as N by nra.
  apply exp_increasing in N. rewrite exp_0 in N.
  assert (/ (exp (epsilon * (q - 1)) - 1) < 0) by (apply Rinv_lt_0_compat; lra).
  unfold Rdiv. nra.
Qed.

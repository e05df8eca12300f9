(** Permute and flip is epsilon-DP where costs move one way, 2 epsilon-DP where they do not.

    Model of [draw_permute_and_flip] in [sampling/finite.py] as its page has it: candidates are looked
    at in random order, each is taken with probability exp(- (cost - least cost)). The law is
    [PermuteAndFlipLaw]'s: p_i times the integral over [0, 1] of the product of 1 - t p_j. *)

From Coq Require Import Reals List Lra Lia ZArith QArith Qreals.
From LeastNoise Require Import Law.
Import ListNotations.
Open Scope R_scope.

(** * The model *)

Section Model.
Context {A : Type}.

(** All ways of taking one candidate out. *)
Fixpoint picks (xs : list A) : list (A * list A) :=
  match xs with
  | [] => []
  | x :: rest => (x, rest) :: map (fun z => (fst z, x :: snd z)) (picks rest)
  end.

(** The probability that the answer is in the event: one of those left is looked at, each as likely,
    and where its coin of probability [p] fails it is left out. *)
Fixpoint first_success (p event : A -> R) (looks : nat) (xs : list A) : R :=
  match looks with
  | O => 0
  | S looks =>
      / INR (length xs) *
      total (fun z => p (fst z) * event (fst z)
        + (1 - p (fst z)) * first_success p event looks (snd z)) (picks xs)
  end.

(** The coins of costs, of which the least is [m]: that candidate is always taken. *)
Definition coin_of (cost : A -> R) (m : R) (x : A) : R := exp (- (cost x - m)).

Definition permute_and_flip (cost : A -> R) (m : R) (xs : list A) (event : A -> R) : R :=
  first_success (coin_of cost m) event (length xs) xs.

Definition least_of (cost : A -> R) (m : R) (xs : list A) : Prop :=
  (forall x, In x xs -> m <= cost x) /\ (exists x, In x xs /\ cost x = m).

(** * Products, and their integrals from 0 *)

Fixpoint product (p : A -> R) (xs : list A) (t : R) : R :=
  match xs with [] => 1 | x :: rest => (1 - t * p x) * product p rest t end.

(** A polynomial by its coefficients from the constant on. *)
Fixpoint plus_at (a b : list R) : list R :=
  match a, b with
  | [], _ => b
  | _, [] => a
  | x :: a, y :: b => x + y :: plus_at a b
  end.

Fixpoint coefficients (p : A -> R) (xs : list A) : list R :=
  match xs with
  | [] => [1]
  | x :: rest =>
      plus_at (coefficients p rest) (0 :: map (fun c => - p x * c) (coefficients p rest))
  end.

Fixpoint value_at (c : list R) (t : R) : R :=
  match c with [] => 0 | x :: c => x + t * value_at c t end.

Fixpoint integral_from (k : nat) (c : list R) (t : R) : R :=
  match c with [] => 0 | x :: c => x * / INR (S k) * t ^ S k + integral_from (S k) c t end.

(** The integral of the product over [0, t]. *)
Definition integral (p : A -> R) (xs : list A) (t : R) : R := integral_from 0 (coefficients p xs) t.

Lemma value_plus a b t : value_at (plus_at a b) t = value_at a t + value_at b t.
Proof. revert b. induction a as [|x a IH]; intros [|y b]; cbn; try lra. rewrite IH. lra. Qed.

Lemma value_scale k c t : value_at (map (fun x => k * x) c) t = k * value_at c t.
Proof. induction c as [|x c IH]; cbn; [lra|]. rewrite IH. lra. Qed.

Lemma coefficients_value p xs t : value_at (coefficients p xs) t = product p xs t.
Proof.
  induction xs as [|x xs IH]; cbn; [lra|].
  rewrite value_plus. cbn. rewrite value_scale, IH. lra.
Qed.

Lemma integral_from_zero k c : integral_from k c 0 = 0.
Proof. revert k. induction c as [|x c IH]; intros k; cbn; [lra|]. rewrite IH. lra. Qed.

Lemma integral_from_derivative c t : forall k,
  derivable_pt_lim (integral_from k c) t (t ^ k * value_at c t).
Proof.
  induction c as [|x c IH]; intros k; cbn [integral_from value_at].
  - rewrite Rmult_0_r. apply derivable_pt_lim_const.
  - replace (t ^ k * (x + t * value_at c t)) with (x * / INR (S k) * (INR (S k) * t ^ k)
      + t ^ S k * value_at c t).
    2:{ cbn [pow]. field. apply not_0_INR. lia. }
    apply (derivable_pt_lim_plus (fun t => x * / INR (S k) * t ^ S k)); [|apply IH].
    apply (derivable_pt_lim_scal (fun t => t ^ S k)).
    pose proof (derivable_pt_lim_pow t (S k)) as D. exact D.
Qed.

Lemma integral_zero p xs : integral p xs 0 = 0.
Proof. apply integral_from_zero. Qed.

Lemma integral_derivative p xs t : derivable_pt_lim (integral p xs) t (product p xs t).
Proof.
  rewrite <- coefficients_value. pose proof (integral_from_derivative (coefficients p xs) t 0) as D.
  rewrite pow_O, Rmult_1_l in D. exact D.
Qed.

(** What has no slope does not move, and what has a slope of one sign moves one way. *)
Lemma slope_sign (f g : R -> R) a b : a <= b ->
  (forall t, a <= t <= b -> derivable_pt_lim f t (g t)) ->
  (forall t, a <= t <= b -> 0 <= g t) -> f a <= f b.
Proof.
  intros [L|<-] D H; [|lra]. destruct (MVT_cor2 f g a b L D) as (c & E & Hc).
  specialize (H c ltac:(lra)). nra.
Qed.

Lemma no_slope (f : R -> R) a b : a <= b ->
  (forall t, a <= t <= b -> derivable_pt_lim f t 0) -> f a = f b.
Proof.
  intros [L|<-] D; [|easy]. destruct (MVT_cor2 f (fun _ => 0) a b L D) as (c & E & _). lra.
Qed.

(** * The law in closed form *)

Lemma total_plus {B} (f g : B -> R) xs : total (fun x => f x + g x) xs = total f xs + total g xs.
Proof. induction xs as [|x xs IH]; cbn; lra. Qed.

Lemma total_over_map {B C} (f : C -> R) (g : B -> C) xs : total f (map g xs) = total (fun x => f (g x)) xs.
Proof. induction xs as [|x xs IH]; cbn; [easy|]. now rewrite IH. Qed.

Lemma picks_length xs z : In z (picks xs) -> length xs = S (length (snd z)).
Proof.
  revert z. induction xs as [|x xs IH]; intros z; cbn; [easy|]. intros [<-|H]; [easy|].
  apply in_map_iff in H. destruct H as (u & <- & Hu). cbn. now rewrite (IH u Hu).
Qed.

Lemma picks_in xs z : In z (picks xs) -> In (fst z) xs /\ (forall y, In y (snd z) -> In y xs).
Proof.
  revert z. induction xs as [|x xs IH]; intros z; cbn; [easy|]. intros [<-|H].
  - split; [now left | intros; now right].
  - apply in_map_iff in H. destruct H as (u & <- & Hu). destruct (IH u Hu) as [B C]. cbn.
    split; [now right|]. intros y [->|Hy]; [now left | right; now apply C].
Qed.

(** Taking two out: the order does not matter. *)
Lemma picks_twice xs (f : A -> A -> list A -> R) :
  total (fun z => total (fun u => f (fst z) (fst u) (snd u)) (picks (snd z))) (picks xs) =
  total (fun z => total (fun u => f (fst u) (fst z) (snd u)) (picks (snd z))) (picks xs).
Proof.
  revert f. induction xs as [|x xs IH]; intros f; cbn; [easy|].
  rewrite !total_over_map. cbn [fst snd].
  assert (forall g : A -> A -> list A -> R,
    total (fun z => total (fun u => g (fst z) (fst u) (snd u)) (picks (x :: snd z))) (picks xs) =
    total (fun z => g (fst z) x (snd z)) (picks xs)
    + total (fun z => total (fun u => g (fst z) (fst u) (x :: snd u)) (picks (snd z))) (picks xs)) as E.
  { intros g. rewrite <- total_plus. apply total_ext. intros z _. cbn. now rewrite total_over_map. }
  rewrite (E f), (E (fun a b => f b a)), (IH (fun a b r => f a b (x :: r))). lra.
Qed.

Section Coins.
Variable p : A -> R.

(** The slope of the product, and the product times the number of its factors. *)
Lemma product_derivative xs t : derivable_pt_lim (product p xs) t
  (- total (fun z => p (fst z) * product p (snd z) t) (picks xs)).
Proof.
  induction xs as [|x xs IH]; cbn [product picks total].
  - rewrite Ropp_0. apply derivable_pt_lim_const.
  - rewrite total_over_map. cbn [fst snd product].
    rewrite (total_ext (fun z => p (fst z) * ((1 - t * p x) * product p (snd z) t))
      (fun z => (1 - t * p x) * (p (fst z) * product p (snd z) t))) by (intros; ring).
    rewrite total_scale.
    replace (- (p x * product p xs t
        + (1 - t * p x) * total (fun z => p (fst z) * product p (snd z) t) (picks xs)))
      with (- p x * product p xs t
        + (1 - t * p x) * - total (fun z => p (fst z) * product p (snd z) t) (picks xs)) by ring.
    apply (derivable_pt_lim_mult (fun t => 1 - t * p x) (product p xs)); [|exact IH].
    replace (- p x) with (0 - 1 * p x) by ring.
    apply (derivable_pt_lim_minus (fun _ => 1) (fun t => t * p x)); [apply derivable_pt_lim_const|].
    pose proof (derivable_pt_lim_scal id (p x) t 1 (derivable_pt_lim_id t)) as D.
    rewrite (Rmult_comm 1). intros eps He. destruct (D eps He) as [d Hd]. exists d.
    intros h Hh Hd'. specialize (Hd h Hh Hd'). unfold mult_real_fct, id in Hd.
    now rewrite !(Rmult_comm _ (p x)).
Qed.

Lemma product_factors xs t :
  INR (length xs) * product p xs t =
  total (fun z => (1 - t * p (fst z)) * product p (snd z) t) (picks xs).
Proof.
  induction xs as [|x xs IH]; cbn [length picks total product]; [cbn; lra|].
  rewrite total_over_map. cbn [fst snd product].
  rewrite (total_ext (fun z => (1 - t * p (fst z)) * ((1 - t * p x) * product p (snd z) t))
    (fun z => (1 - t * p x) * ((1 - t * p (fst z)) * product p (snd z) t))) by (intros; ring).
  rewrite total_scale, <- IH, S_INR. ring.
Qed.

Lemma integrals_derivative (c : A * list A -> R) zs t :
  derivable_pt_lim (fun t => total (fun z => c z * integral p (snd z) t) zs) t
    (total (fun z => c z * product p (snd z) t) zs).
Proof.
  induction zs as [|z zs IH]; cbn [total]; [apply derivable_pt_lim_const|].
  apply (derivable_pt_lim_plus (fun t => c z * integral p (snd z) t)); [|exact IH].
  apply (derivable_pt_lim_scal (integral p (snd z))). apply integral_derivative.
Qed.

Lemma integrals_zero (c : A * list A -> R) zs : total (fun z => c z * integral p (snd z) 0) zs = 0.
Proof. induction zs as [|z zs IH]; cbn [total]; [easy|]. rewrite IH, integral_zero. lra. Qed.

(** One candidate more than those of [xs]: each is as likely to be looked at first. *)
Lemma integral_step xs :
  (INR (length xs) + 1) * integral p xs 1 =
  1 + total (fun z => (1 - p (fst z)) * integral p (snd z) 1) (picks xs).
Proof.
  set (n := INR (length xs)).
  assert (1 * product p xs 1 + total (fun z => 1 * integral p (snd z) 1) (picks xs)
    - (n + 1) * integral p xs 1 = 0) as K.
  { set (f := fun t => (t * product p xs t + total (fun z => 1 * integral p (snd z) t) (picks xs))
      - (n + 1) * integral p xs t).
    change (f 1 = 0). transitivity (f 0).
    - symmetry. apply no_slope; [lra|]. intros t _. unfold f.
      pose proof (product_factors xs t) as F. fold n in F.
      replace 0 with ((1 * product p xs t + t * - total (fun z => p (fst z) * product p (snd z) t) (picks xs)
          + total (fun z => 1 * product p (snd z) t) (picks xs)) - (n + 1) * product p xs t).
      + apply (derivable_pt_lim_minus
          (fun t => t * product p xs t + total (fun z => 1 * integral p (snd z) t) (picks xs))
          (fun t => (n + 1) * integral p xs t)).
        * apply (derivable_pt_lim_plus (fun t => t * product p xs t));
            [|exact (integrals_derivative (fun _ => 1) (picks xs) t)].
          apply (derivable_pt_lim_mult id (product p xs)); [apply derivable_pt_lim_id|].
          apply product_derivative.
        * apply (derivable_pt_lim_scal (integral p xs)), integral_derivative.
      + rewrite (total_ext (fun z => (1 - t * p (fst z)) * product p (snd z) t)
          (fun z => 1 * product p (snd z) t + (- t) * (p (fst z) * product p (snd z) t))) in F
          by (intros; ring).
        rewrite total_plus, (total_scale (- t)) in F. lra.
    - unfold f. rewrite integral_zero, (integrals_zero (fun _ => 1)). lra. }
  assert (product p xs 1 + total (fun z => p (fst z) * integral p (snd z) 1) (picks xs) = 1) as L.
  { set (f := fun t => product p xs t + total (fun z => p (fst z) * integral p (snd z) t) (picks xs)).
    change (f 1 = 1). transitivity (f 0).
    - symmetry. apply no_slope; [lra|]. intros t _. unfold f.
      replace 0 with (- total (fun z => p (fst z) * product p (snd z) t) (picks xs)
        + total (fun z => p (fst z) * product p (snd z) t) (picks xs)) by ring.
      apply (derivable_pt_lim_plus (product p xs)); [apply product_derivative|].
      exact (integrals_derivative (fun z => p (fst z)) (picks xs) t).
    - unfold f. rewrite (integrals_zero (fun z => p (fst z))). assert (forall ys, product p ys 0 = 1) as O.
      { induction ys as [|y ys IH]; cbn; [easy|]. rewrite IH. lra. }
      rewrite O. lra. }
  rewrite (total_ext (fun z => (1 - p (fst z)) * integral p (snd z) 1)
    (fun z => 1 * integral p (snd z) 1 + (-1) * (p (fst z) * integral p (snd z) 1)))
    by (intros; ring).
  rewrite total_plus, (total_scale (-1)). lra.
Qed.

(** [PermuteAndFlipLaw]: p_i times the integral of the others' product. *)
Theorem permute_and_flip_law event xs looks : (length xs <= looks)%nat ->
  first_success p event looks xs =
  total (fun z => event (fst z) * p (fst z) * integral p (snd z) 1) (picks xs).
Proof.
  revert xs. induction looks as [|looks IH]; intros xs H.
  { destruct xs; [easy | cbn in H; lia]. }
  destruct xs as [|a rest]; [cbn; lra|]. set (xs := a :: rest) in *. cbn [first_success].
  assert (0 < INR (length xs)) as N by (apply lt_0_INR; cbn; lia).
  apply Rmult_eq_reg_l with (INR (length xs)); [|lra].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  rewrite (total_ext _ (fun z => p (fst z) * event (fst z) + total (fun u =>
    (1 - p (fst z)) * (event (fst u) * p (fst u) * integral p (snd u) 1)) (picks (snd z)))).
  2:{ intros z Hz. rewrite IH by (apply picks_length in Hz; lia). now rewrite total_scale. }
  rewrite total_plus, (picks_twice xs
    (fun y u r => (1 - p y) * (event u * p u * integral p r 1))), <- total_plus, <- total_scale.
  apply total_ext. intros z Hz. pose proof (integral_step (snd z)) as S.
  rewrite (picks_length xs z Hz), S_INR.
  rewrite (total_ext _ (fun u => event (fst z) * p (fst z) *
    ((1 - p (fst u)) * integral p (snd u) 1))) by (intros; ring).
  rewrite total_scale.
  replace ((INR (length (snd z)) + 1) * (event (fst z) * p (fst z) * integral p (snd z) 1))
    with (event (fst z) * p (fst z) * ((INR (length (snd z)) + 1) * integral p (snd z) 1)) by ring.
  rewrite S. ring.
Qed.

End Coins.

(** * Privacy *)

Lemma product_compare p q xs t : 0 <= t ->
  (forall x, In x xs -> q x <= p x /\ t * p x <= 1) ->
  0 <= product p xs t <= product q xs t.
Proof.
  intros Ht. induction xs as [|x xs IH]; cbn; intros H; [lra|].
  destruct (H x ltac:(now left)) as [B C]. specialize (IH ltac:(intros; apply H; now right)).
  assert (t * q x <= t * p x) by nra. split; [nra|].
  apply Rmult_le_compat; lra.
Qed.

Lemma integral_compare p q xs b : 0 <= b ->
  (forall t, 0 <= t <= b -> product p xs t <= product q xs t) -> integral p xs b <= integral q xs b.
Proof.
  intros Hb H.
  enough (integral q xs 0 - integral p xs 0 <= integral q xs b - integral p xs b) as G
    by (rewrite !integral_zero in G; lra).
  apply (slope_sign (fun t => integral q xs t - integral p xs t)
    (fun t => product q xs t - product p xs t)); [easy| |intros t Ht; specialize (H t Ht); lra].
  intros t _. apply (derivable_pt_lim_minus (integral q xs) (integral p xs)); apply integral_derivative.
Qed.

Lemma integral_grows p xs b c : b <= c ->
  (forall t, b <= t <= c -> 0 <= product p xs t) -> integral p xs b <= integral p xs c.
Proof.
  intros L H. apply (slope_sign _ (product p xs)); auto. intros; apply integral_derivative.
Qed.

(** Coins k times as large, over an interval k times as short. *)
Lemma product_scale k p xs t : product (fun x => k * p x) xs t = product p xs (k * t).
Proof. induction xs as [|x xs IH]; cbn; [easy|]. rewrite IH. f_equal. ring. Qed.

Lemma integral_scale k p xs b : 0 <= b ->
  k * integral (fun x => k * p x) xs b = integral p xs (k * b).
Proof.
  intros Hb. set (f := fun t => k * integral (fun x => k * p x) xs t - integral p xs (k * t)).
  enough (f b = 0) by (unfold f in *; lra). transitivity (f 0).
  - symmetry. apply no_slope; [easy|]. intros t _. unfold f.
    replace 0 with (k * product (fun x => k * p x) xs t - product p xs (k * t) * k)
      by (rewrite product_scale; ring).
    apply (derivable_pt_lim_minus (fun t => k * integral (fun x => k * p x) xs t)
      (fun t => integral p xs (k * t))).
    + apply (derivable_pt_lim_scal (integral (fun x => k * p x) xs)), integral_derivative.
    + apply (derivable_pt_lim_comp (fun t => k * t) (integral p xs));
        [|apply integral_derivative].
      pose proof (derivable_pt_lim_scal id k t 1 (derivable_pt_lim_id t)) as D.
      rewrite Rmult_1_r in D. exact D.
  - unfold f. rewrite Rmult_0_r, !integral_zero. lra.
Qed.

Lemma integral_nonneg p xs b : 0 <= b ->
  (forall x, In x xs -> 0 <= p x /\ b * p x <= 1) -> 0 <= integral p xs b.
Proof.
  intros Hb H. rewrite <- (integral_zero p xs). apply integral_grows; [easy|].
  intros t Ht. apply (product_compare p p); [lra|]. intros x Hx. destruct (H x Hx). split; [lra | nra].
Qed.

(** With w = exp (- cost) and M = exp (- m): w_r times the integral of the others' over [0, 1/M]. *)
Lemma answer_in_weights cost m z :
  coin_of cost m (fst z) * integral (coin_of cost m) (snd z) 1 =
  exp (- cost (fst z)) * integral (fun x => exp (- cost x)) (snd z) (exp m).
Proof.
  assert (forall x, coin_of cost m x = exp m * exp (- cost x)) as E.
  { intros x. unfold coin_of. rewrite <- exp_plus. f_equal. ring. }
  pose proof (integral_scale (exp m) (fun x => exp (- cost x)) (snd z) 1 ltac:(lra)) as S.
  rewrite Rmult_1_r in S. rewrite <- S.
  assert (forall ys, coefficients (coin_of cost m) ys
    = coefficients (fun x => exp m * exp (- cost x)) ys) as C.
  { induction ys as [|y ys IH]; cbn; [easy|]. now rewrite IH, E. }
  unfold integral. rewrite C, E. ring.
Qed.

Section Private.
Variable e f : A -> R.
Variable m n a : R.
Variable xs : list A.
Hypothesis m_least : least_of e m xs.
Hypothesis n_least : least_of f n xs.
(** All costs move one way, by at most a. *)
Hypothesis one_way : forall x, In x xs -> e x <= f x <= e x + a.

Lemma leasts : m <= n <= m + a.
Proof.
  destruct m_least as (Hm & x & Hx & Ex). destruct n_least as (Hn & y & Hy & Ey).
  pose proof (Hm y Hy). pose proof (Hn x Hx). pose proof (one_way x Hx). pose proof (one_way y Hy). lra.
Qed.

Lemma exp_one x y : x <= y -> exp x * exp (- y) <= 1.
Proof. intros H. rewrite <- exp_plus, <- exp_0. apply exp_le. lra. Qed.

Let w (x : A) : R := exp (- e x).
Let v (x : A) : R := exp (- f x).

Lemma later_costs rest : (forall y, In y rest -> In y xs) ->
  integral w rest (exp m) <= integral v rest (exp n).
Proof.
  intros H. pose proof leasts as L.
  assert (exp m <= exp n) by (apply exp_le; lra). pose proof (exp_pos m).
  apply Rle_trans with (integral v rest (exp m)).
  - apply integral_compare; [lra|]. intros t Ht. apply (product_compare w v); [lra|].
    intros x Hx. pose proof (one_way x (H x Hx)). pose proof (proj1 m_least x (H x Hx)).
    split; [apply exp_le; lra|]. pose proof (exp_one m (e x) ltac:(lra)).
    pose proof (exp_pos (- e x)). unfold w. nra.
  - apply integral_grows; [lra|]. intros t Ht. apply (product_compare v v); [lra|].
    intros x Hx. split; [lra|]. pose proof (exp_one n (f x) (proj1 n_least x (H x Hx))).
    pose proof (exp_pos (- f x)). unfold v. nra.
Qed.

Lemma earlier_costs rest : (forall y, In y rest -> In y xs) ->
  integral v rest (exp n) <= exp a * integral w rest (exp m).
Proof.
  intros H. pose proof leasts as L. pose proof (exp_pos n). pose proof (exp_pos a).
  assert (exp n <= exp a * exp m) as N by (rewrite <- exp_plus; apply exp_le; lra).
  set (u := fun x => exp (- a) * w x).
  assert (exp (- a) * exp a = 1) as One by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  apply Rle_trans with (integral u rest (exp a * exp m)).
  - apply Rle_trans with (integral u rest (exp n)).
    + apply integral_compare; [lra|]. intros t Ht. apply (product_compare v u); [lra|].
      intros x Hx. pose proof (one_way x (H x Hx)). split.
      * unfold u, w, v. rewrite <- exp_plus. apply exp_le. lra.
      * pose proof (exp_one n (f x) (proj1 n_least x (H x Hx))).
        pose proof (exp_pos (- f x)). unfold v. nra.
    + apply integral_grows; [lra|]. intros t Ht. apply (product_compare u u); [lra|].
      intros x Hx. split; [lra|]. pose proof (exp_one m (e x) (proj1 m_least x (H x Hx))) as O.
      pose proof (exp_pos (- e x)). pose proof (exp_pos (- a)). unfold u, w.
      apply Rle_trans with (exp a * exp m * (exp (- a) * exp (- e x))); [|nra].
      apply Rmult_le_compat_r; [nra | lra].
  - right. pose proof (integral_scale (exp (- a)) w rest (exp a * exp m)) as S.
    fold u in S. rewrite <- (Rmult_assoc (exp (- a))), One, Rmult_1_l in S.
    rewrite <- S by (pose proof (exp_pos m); nra).
    rewrite <- Rmult_assoc. replace (exp a * exp (- a)) with 1 by (rewrite <- One; ring). lra.
Qed.

(** Statement 2 of selection.md for costs that move one way: every event, both ways. *)
Theorem permute_and_flip_private event : (forall x, 0 <= event x) ->
  permute_and_flip e m xs event <= exp a * permute_and_flip f n xs event /\
  permute_and_flip f n xs event <= exp a * permute_and_flip e m xs event.
Proof.
  intros He. unfold permute_and_flip. rewrite !permute_and_flip_law by lia.
  assert (forall z, In z (picks xs) ->
    coin_of e m (fst z) * integral (coin_of e m) (snd z) 1
      <= exp a * (coin_of f n (fst z) * integral (coin_of f n) (snd z) 1) /\
    coin_of f n (fst z) * integral (coin_of f n) (snd z) 1
      <= exp a * (coin_of e m (fst z) * integral (coin_of e m) (snd z) 1)) as G.
  { intros z Hz. rewrite !answer_in_weights. destruct (picks_in xs z Hz) as [Hx Hr].
    pose proof (one_way (fst z) Hx) as O. pose proof (later_costs (snd z) Hr) as L.
    pose proof (earlier_costs (snd z) Hr) as E. fold w v.
    assert (forall g c, least_of g c xs -> 0 <= integral (fun x => exp (- g x)) (snd z) (exp c)) as N.
    { intros g c [Hc _]. apply integral_nonneg; [left; apply exp_pos|]. intros x Hx'.
      split; [left; apply exp_pos|]. apply exp_one. apply Hc. now apply Hr. }
    pose proof (N e m m_least) as N1. pose proof (N f n n_least) as N2. fold w in N1. fold v in N2.
    pose proof (exp_pos (- e (fst z))). pose proof (exp_pos (- f (fst z))). pose proof (exp_pos a).
    assert (exp (- e (fst z)) <= exp a * exp (- f (fst z))) by (rewrite <- exp_plus; apply exp_le; lra).
    assert (exp (- f (fst z)) <= exp (- e (fst z))) by (apply exp_le; lra).
    unfold w, v in *. split.
    - apply Rle_trans with (exp a * exp (- f (fst z)) * integral (fun x => exp (- f x)) (snd z) (exp n));
        [apply Rmult_le_compat; lra | right; ring].
    - apply Rle_trans with (exp (- e (fst z)) * (exp a * integral (fun x => exp (- e x)) (snd z) (exp m)));
        [apply Rmult_le_compat; lra | right; ring]. }
  split; apply total_le; intros z Hz; destruct (G z Hz) as [G1 G2]; specialize (He (fst z)); nra.
Qed.

End Private.

(** Costs that move both ways cost twice as much. *)
Theorem permute_and_flip_two_ways e f m n a xs event :
  least_of e m xs -> least_of f n xs -> (forall x, In x xs -> e x - a <= f x <= e x + a) ->
  (forall x, 0 <= event x) ->
  permute_and_flip e m xs event <= exp (2 * a) * permute_and_flip f n xs event.
Proof.
  intros Hm Hn H He.
  set (g := fun x => e x - a).
  assert (least_of g (m - a) xs) as Hg.
  { destruct Hm as (A1 & x & A2 & A3). split.
    - intros y Hy. specialize (A1 y Hy). unfold g. lra.
    - exists x. split; [easy|]. unfold g. lra. }
  assert (forall x, coin_of e m x = coin_of g (m - a) x) as E
    by (intros x; unfold coin_of, g; f_equal; lra).
  assert (permute_and_flip e m xs event = permute_and_flip g (m - a) xs event) as ->.
  { unfold permute_and_flip. generalize (length xs) as looks. intros looks. clear - E.
    revert xs. induction looks as [|looks IH]; intros xs; cbn; [easy|]. f_equal.
    apply total_ext. intros z _. now rewrite E, IH. }
  refine (proj1 (permute_and_flip_private g f (m - a) n (2 * a) xs Hg Hn _ event He)).
  intros x Hx. specialize (H x Hx). unfold g. lra.
Qed.

(** * The same to be computed, for coins that are rational *)

Fixpoint total_q {B} (f : B -> Q) (xs : list B) : Q :=
  match xs with [] => 0%Q | x :: rest => Qred (f x + total_q f rest) end.

Fixpoint first_success_q (p event : A -> Q) (looks : nat) (xs : list A) : Q :=
  match looks with
  | O => 0%Q
  | S looks =>
      (/ inject_Z (Z.of_nat (length xs)) *
      total_q (fun z => p (fst z) * event (fst z)
        + (1 - p (fst z)) * first_success_q p event looks (snd z)) (picks xs))%Q
  end.

Lemma total_q_real {B} (f : B -> Q) xs : Q2R (total_q f xs) = total (fun x => Q2R (f x)) xs.
Proof.
  induction xs as [|x xs IH]; cbn [total_q total]; [unfold Q2R; cbn; lra|].
  rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, IH. easy.
Qed.

Theorem first_success_rational p event looks xs :
  Q2R (first_success_q p event looks xs) =
  first_success (fun x => Q2R (p x)) (fun x => Q2R (event x)) looks xs.
Proof.
  revert xs. induction looks as [|looks IH]; intros xs; cbn [first_success_q first_success].
  { unfold Q2R. cbn. lra. }
  rewrite Q2R_mult, total_q_real. destruct xs as [|x xs]; [cbn; lra|].
  rewrite Q2R_inv.
  2:{ unfold Qeq. cbn. lia. }
  f_equal.
  - f_equal. unfold Q2R. cbn [Qnum Qden inject_Z]. rewrite INR_IZR_INZ. field.
  - apply total_ext. intros z _. rewrite Q2R_plus, !Q2R_mult, Q2R_minus, IH.
    replace (Q2R 1) with 1 by (unfold Q2R; cbn; lra). easy.
Qed.

End Model.

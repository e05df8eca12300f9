(** The whole sampler, down to words of random bits.

    [Dyadic.sampler_law] speaks of coins whose probabilities are real numbers. Here each coin is the
    one that [randomness.py] tosses: a uniform, revealed by words of 64 bits until an
    enclosure decides. *)

From Coq Require Import ZArith List Reals Lra Lia.
From LeastNoise Require Import Law Dyadic Blocks Bernoulli.
Import ListNotations.
Open Scope R_scope.

Lemma constant_limit c : Un_cv (fun _ => c) c.
Proof. intros eps He. exists O. intros. unfold R_dist. now rewrite Rminus_diag_eq, Rabs_R0. Qed.

Lemma total_limit {B} (g : nat -> B -> R) (h : B -> R) xs :
  (forall x, In x xs -> Un_cv (fun w => g w x) (h x)) ->
  Un_cv (fun w => total (g w) xs) (total h xs).
Proof.
  induction xs as [|x xs IH]; intros H; cbn [total]; [apply constant_limit|].
  apply (CV_plus (fun w => g w x)); [apply H; now left | apply IH; intros; apply H; now right].
Qed.

Lemma power_limit (g : nat -> R) l i : Un_cv g l -> Un_cv (fun w => g w ^ i) (l ^ i).
Proof.
  intros H. induction i as [|i IH]; cbn [pow]; [apply constant_limit|]. now apply CV_mult.
Qed.

Lemma sum_limit (g : nat -> nat -> R) (h : nat -> R) n : (forall i, Un_cv (fun w => g w i) (h i)) ->
  Un_cv (fun w => sum_f_R0 (g w) n) (sum_f_R0 h n).
Proof.
  intros H. induction n as [|n IH]; cbn [sum_f_R0]; [apply H|]. now apply CV_plus.
Qed.

Section Coins.
Context {A : Type}.
Variable blocks : list (list A).
Variable e : A -> R.
Hypothesis above_block : forall b block y,
  nth_error blocks b = Some block -> In y block -> INR b * block_size <= e y.

(** An enclosure of the coin of every ticket. *)
Variable lo hi : nat * A -> nat -> Z.
Variable width : Z.
Hypothesis enclosed : forall t, In t (tickets blocks) -> encloses (lo t) (hi t) width (coin e t).

(** The probability that a coin has given this answer within so many words. *)
Definition said (answer : bool) (words : nat) (t : nat * A) : R :=
  share (below (lo t)) (above (hi t)) answer words.

(** [draw_offset], where no coin takes more words than that: i trials that reject, then one that
    keeps a point, weighed by [f]. *)
Definition ends_within (words : nat) (f : A -> R) (i : nat) : R :=
  total (fun t => one_ticket blocks t * said false words t) (tickets blocks) ^ i
  * total (fun t => one_ticket blocks t * said true words t * f (snd t)) (tickets blocks).

(** [bernoulli_scaled] is tossed for the coin itself: the minimum is never the 1. *)
Lemma scaled_coin t : In t (tickets blocks) -> Rmin 1 (2 ^ fst t * exp (- e (snd t))) = coin e t.
Proof. intros H. apply Rmin_right. exact (proj2 (coin_unit blocks e above_block t H)). Qed.

Lemma tickets_add_up : concat blocks <> [] ->
  total (one_ticket blocks) (tickets blocks) = 1.
Proof.
  intros Hne.
  assert (tickets blocks <> []) as Htick.
  { intros F. apply Hne. clear - F. induction blocks as [|b bs IH]; cbn in *; [easy|].
    apply app_eq_nil in F. destruct F as [F G]. apply map_eq_nil in G. rewrite (IH G), app_nil_r.
    destruct b as [|y b]; [easy|]. cbn in F.
    assert (0 < 2 ^ length bs)%nat by (pose proof (Nat.pow_nonzero 2 (length bs)); lia).
    destruct (2 ^ length bs)%nat; [lia | easy]. }
  assert (0 < INR (length (tickets blocks))) as N.
  { apply lt_0_INR. destruct (tickets blocks); [easy | cbn; lia]. }
  assert (forall (ts : list (nat * A)) x, total (fun _ => x) ts = INR (length ts) * x) as G.
  { induction ts as [|t ts IH]; intros x; cbn [total length]; [cbn; lra|]. rewrite IH, S_INR. lra. }
  unfold one_ticket. rewrite G. field. lra.
Qed.

Lemma ends_within_limit f i : concat blocks <> [] ->
  Un_cv (fun words => ends_within words f i) (ends_at blocks e f i).
Proof.
  intros Hne. unfold ends_within, ends_at.
  assert (forall t, In t (tickets blocks) -> Un_cv (fun w => said true w t) (coin e t) /\
    Un_cv (fun w => said false w t) (1 - coin e t)) as S.
  { intros t Ht. unfold said. apply (bernoulli_real_law _ _ _ width); [|now apply enclosed].
    exact (coin_unit blocks e above_block t Ht). }
  apply CV_mult; [apply power_limit|].
  - replace (1 - total (fun t => one_ticket blocks t * coin e t) (tickets blocks))
      with (total (fun t => one_ticket blocks t * (1 - coin e t)) (tickets blocks)).
    + apply total_limit. intros t Ht. apply (CV_mult (fun _ => one_ticket blocks t)).
      * apply constant_limit.
      * apply (S t Ht).
    + rewrite (total_ext (fun t => one_ticket blocks t * (1 - coin e t))
        (fun t => one_ticket blocks t + (-1) * (one_ticket blocks t * coin e t))) by (intros; ring).
      assert (forall (g h : nat * A -> R) ts,
        total (fun t => g t + h t) ts = total g ts + total h ts) as P
        by (clear; induction ts as [|t ts IH]; cbn; lra).
      rewrite P, (total_scale (-1)), (tickets_add_up Hne). lra.
  - apply total_limit. intros t Ht. apply (CV_mult (fun w => one_ticket blocks t * said true w t)).
    + apply (CV_mult (fun _ => one_ticket blocks t)); [apply constant_limit | apply (S t Ht)].
    + apply constant_limit.
Qed.

(** Theorem (e), from bits: with trials and words enough the loop has ended, and what it returned has
    the law exp(-E) over its sum, as nearly as one likes. *)
Theorem sampler_law_of_bits (f : A -> R) eps : concat blocks <> [] -> 0 < eps ->
  exists trials, forall n, (trials <= n)%nat -> exists words, forall w, (words <= w)%nat ->
  Rabs (sum_f_R0 (ends_within w f) n
    - total (fun y => exp (- e y) * f y) (concat blocks)
      / total (fun y => exp (- e y)) (concat blocks)) < eps.
Proof.
  intros Hne He. set (law := _ / _).
  destruct (sampler_law blocks e above_block f Hne (eps / 2) ltac:(lra)) as [trials T].
  exists trials. intros n Hn. specialize (T n Hn). fold law in T. unfold R_dist in T.
  destruct (sum_limit (fun w i => ends_within w f i) (ends_at blocks e f) n
    (fun i => ends_within_limit f i Hne) (eps / 2) ltac:(lra)) as [words W].
  exists words. intros w Hw. specialize (W w Hw). unfold R_dist in W.
  change (fun i => ends_within w f i) with (ends_within w f) in W.
  replace (sum_f_R0 (ends_within w f) n - law) with
    ((sum_f_R0 (ends_within w f) n - sum_f_R0 (ends_at blocks e f) n)
     + (sum_f_R0 (ends_at blocks e f) n - law)) by ring.
  eapply Rle_lt_trans; [apply Rabs_triang|]. lra.
Qed.

End Coins.

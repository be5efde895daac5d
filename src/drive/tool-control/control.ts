import type { ControlAction, ControlKind } from '../../domain/tool-control/control-event.ts';
import type { Border, FaultKind } from '../../domain/tool-control/fault-kinds.ts';

/** A call at a border, before anything answered it. */
export interface ControlledCall {
  readonly server?: string | undefined;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface NumberedCall extends ControlledCall {
  /** Of the calls of this tool in the trial, from 1. */
  readonly number: number;
}

/** Effect of one rule on a call. */
export interface Ruling<Reply> {
  readonly kind: ControlKind;
  /** Name of the rule, or its place in the file. */
  readonly rule: string;
  readonly what: string;
  /** Of a fault: its kind, and the text that a file gives it. */
  readonly fault?: { readonly kind: FaultKind; readonly message: string | undefined } | undefined;
  /** Given to the caller instead of the reply of the tool, which is then not called. */
  readonly reply?: Reply | undefined;
  /** Changes the reply of the tool or of an earlier rule; returns the same object where it left it alone. */
  readonly alter?: ((reply: Reply) => Reply) | undefined;
  readonly delayMs?: number | undefined;
  /** Gives the reply of a model that plays the tool, which is then not called; it reports the call itself. */
  readonly play?: Play<Reply> | undefined;
  /** The server is started again before it gets the call. */
  readonly restartsServer?: boolean | undefined;
}

/** Answers a call in place of the tool; `definition` is the tool as its server lists it. Never rejects. */
export type Play<Reply> = (definition: unknown, signal: AbortSignal) => Promise<Reply>;

/** A rule of a scenario; `Reply` is how a border answers. */
export interface ControlRule<Reply> {
  /** Undefined for a call that it leaves alone; `earlier` is the reply that an earlier rule gave. */
  decide(call: NumberedCall, earlier: Reply | undefined): Ruling<Reply> | undefined;
}

/** Outcome of all rules for a call. */
export interface Decision<Reply> {
  readonly call: NumberedCall;
  /** Place of the fault by which the server is started again before it gets the call. */
  readonly restartsServer: string | undefined;
  /** Undefined: the real tool is called, or the model that plays it. */
  readonly reply: Reply | undefined;
  /** Gives the reply in place of the real tool; undefined where that is called, or where there is a reply. */
  readonly play: Play<Reply> | undefined;
  /** Who gave the reply, or changed it; undefined where the real tool's own reply will be passed on. */
  readonly answeredBy: ControlKind | undefined;
  readonly delayMs: number;
  /** The control that delays it; undefined where none does. */
  readonly delayedBy: ControlKind | undefined;
  /** Whether a rule may change the reply of the real tool. */
  readonly isAltered: boolean;
  /** To be called with the reply of the real tool, or with `reply`, before it is passed on. */
  alter(reply: Reply): Altered<Reply>;
}

interface Altered<Reply> {
  readonly reply: Reply;
  readonly answeredBy: ControlKind | undefined;
}

type OnAction = (action: ControlAction) => void;

/**
 * Decides what happens to each call of a trial at one border: the rules decide in their order, and a later one may
 * replace or change what an earlier one answered. Every ruling that takes effect is reported.
 */
export class Control<Reply> {
  readonly #border: Border;
  readonly #rules: readonly ControlRule<Reply>[];
  readonly #onAction: OnAction;
  readonly #calls = new Map<string, number>();

  constructor(border: Border, rules: readonly ControlRule<Reply>[], onAction: OnAction) {
    this.#border = border;
    this.#rules = rules;
    this.#onAction = onAction;
  }

  decide(call: ControlledCall): Decision<Reply> {
    const key = JSON.stringify([call.server, call.tool]);
    const number = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, number);
    const numbered = { ...call, number };
    let reply: Reply | undefined;
    let play: Play<Reply> | undefined;
    let answeredBy: ControlKind | undefined;
    let delayMs = 0;
    let delayedBy: ControlKind | undefined;
    let restartsServer: string | undefined;
    const alterations: Ruling<Reply>[] = [];
    for (const rule of this.#rules) {
      const ruling = rule.decide(numbered, reply);
      if (!ruling) continue;
      if (ruling.delayMs) {
        delayMs += ruling.delayMs;
        delayedBy = ruling.kind;
      }
      if (ruling.restartsServer) restartsServer = ruling.rule;
      if (ruling.alter) alterations.push(ruling);
      else if (!ruling.play) this.#report(numbered, ruling);
      if (ruling.play) {
        play = ruling.play;
        answeredBy = ruling.kind;
      }
      if (ruling.reply === undefined) continue;
      reply = ruling.reply;
      answeredBy = ruling.kind;
    }
    return {
      call: numbered,
      restartsServer,
      reply,
      play: reply === undefined ? play : undefined,
      answeredBy,
      delayMs,
      delayedBy,
      isAltered: alterations.length > 0,
      alter: (given) => this.#altered(numbered, alterations, { reply: given, answeredBy }),
    };
  }

  #altered(call: NumberedCall, alterations: readonly Ruling<Reply>[], first: Altered<Reply>): Altered<Reply> {
    return alterations.reduce((before, ruling) => {
      const reply = ruling.alter?.(before.reply) ?? before.reply;
      if (reply === before.reply) return before;
      this.#report(call, ruling);
      return { reply, answeredBy: ruling.kind };
    }, first);
  }

  #report({ server, tool, number }: NumberedCall, { kind, rule, what, fault }: Ruling<Reply>): void {
    const place = { border: this.#border, ...(server !== undefined && { server }), tool, callNumber: number };
    const broken = fault && { fault: fault.kind, ...(fault.message !== undefined && { message: fault.message }) };
    this.#onAction({ ...place, kind, rule, what, ...broken });
  }
}

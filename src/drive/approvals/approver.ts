import type { ApprovalAnswer, ApprovalFacts, ApprovalRequest, Approver } from '../../domain/approval-event.ts';
import { approvalsOfTrial, type PlacedApprovalRule } from '../../domain/approval-policy.ts';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { isNamed } from '../../domain/tools/tool-names.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { isRecord } from '../../shared/json.ts';
import { compileTextPattern } from '../../shared/patterns.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { Models } from '../models/model.ts';

/** Where the requests of one trial are answered. */
export interface ApprovalPlace {
  readonly emit: EmitTrace;
  readonly signal: AbortSignal;
  readonly repeat: number;
  readonly context: {
    /** Folder of the scenario, in which commands run. */
    readonly directory: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly models?: (() => Promise<Models>) | undefined;
    /** The judge of rules that name none. */
    readonly personaModel?: string | undefined;
    readonly redact?: Redact | undefined;
  };
}

type Decided = Pick<ApprovalFacts, 'answer' | 'content' | 'reason' | 'rule' | 'by' | 'model'>;

/** Answers in place of the user by the first rule that fits; without a policy, everything is allowed. */
export class PolicyApprover implements Approver {
  readonly #rules: readonly PlacedApprovalRule[] | undefined;
  readonly #place: ApprovalPlace;
  /** How often each rule with a script has answered. */
  readonly #used = new Map<PlacedApprovalRule, number>();
  #fault: AssayError | undefined;

  constructor(rules: readonly PlacedApprovalRule[] | undefined, place: ApprovalPlace) {
    this.#rules = rules;
    this.#place = place;
  }

  /** The policy of a trial, which is put into its trace. */
  static of(trial: Trial, place: Omit<ApprovalPlace, 'repeat'>): PolicyApprover {
    const rules = approvalsOfTrial(trial);
    if (rules) {
      const name = trial.variant.approvals ?? null;
      place.emit({ type: 'approval-policy', seenBy: 'engine', name, rules: rules.map((each) => each.place) });
    }
    return new PolicyApprover(rules, { ...place, repeat: trial.repeat });
  }

  get hasPolicy(): boolean {
    return this.#rules !== undefined;
  }

  /** Why the trial cannot be judged: the policy has no answer to a request. */
  get fault(): AssayError | undefined {
    return this.#fault;
  }

  async answer(request: ApprovalRequest): Promise<ApprovalAnswer> {
    const began = performance.now();
    const decided = complete(await this.#decide(request), request);
    const { required: _required, ...facts } = request;
    const durationMs = Math.round(performance.now() - began);
    this.#place.emit({ type: 'approval', seenBy: 'engine', ...facts, ...decided, durationMs });
    if (decided.answer === 'none' && !this.#place.signal.aborted) this.#unanswered(request, decided);
    return decided;
  }

  lost(reason: string): void {
    this.#place.emit({ type: 'gap', seenBy: 'engine', channels: ['approvals'], reason });
  }

  async #decide(request: ApprovalRequest): Promise<Decided> {
    if (!this.#rules) return { answer: 'allow', rule: null, by: 'usual' };
    const placed = this.#rules.find((each) => fits(each, request));
    if (!placed) return { answer: 'none', reason: 'no rule is about it', rule: null, by: 'rule' };
    const rule = placed.place;
    try {
      return { ...(await this.#ask(placed, request)), rule };
    } catch (thrown) {
      const error = asAssayError(thrown);
      // A judge that does not answer is at fault itself.
      if (error.code.startsWith('MODEL_') && !this.#place.signal.aborted) this.#fault ??= error;
      const by = placed.rule.answer === 'judge' ? 'judge' : 'command';
      return { answer: 'none', reason: error.message.replace(/\.$/, ''), rule, by };
    }
  }

  async #ask(placed: PlacedApprovalRule, request: ApprovalRequest): Promise<Omit<Decided, 'rule'>> {
    const { answer, content, reason } = placed.rule;
    if (answer === 'allow') return { answer, by: 'rule', ...(content !== undefined && { content }) };
    if (answer === 'deny') return { answer, by: 'rule', ...(reason !== undefined && { reason }) };
    if (answer === 'judge') return this.#judged(placed, request);
    if (!Array.isArray(answer)) return this.#printed(answer.command, placed, request);
    const used = this.#used.get(placed) ?? 0;
    this.#used.set(placed, used + 1);
    const next = answer[used];
    if (next === undefined) return { answer: 'none', by: 'script', reason: 'the list of answers is used up' };
    return { by: 'script', ...(typeof next === 'string' ? { answer: next } : withoutUnset(next)) };
  }

  async #judged({ rule }: PlacedApprovalRule, request: ApprovalRequest): Promise<Omit<Decided, 'rule'>> {
    const { askJudge } = await import('./ask-judge.ts');
    const { answer, model, reason: why } = await askJudge(rule, request, this.#place);
    const { content, reason = why } = rule;
    return { answer, by: 'judge', model, reason, ...(answer === 'allow' && content !== undefined && { content }) };
  }

  async #printed(
    command: string,
    { rule }: PlacedApprovalRule,
    request: ApprovalRequest,
  ): Promise<Omit<Decided, 'rule'>> {
    const { askCommand } = await import('./ask-command.ts');
    const { content, reason } = rule;
    const printed = await askCommand(command, rule.timeoutSecs * 1_000, request, this.#place);
    const usual = printed.answer === 'allow' ? { content } : { reason };
    return { by: 'command', ...withoutUnset({ ...usual, ...printed }) };
  }

  #unanswered({ tool }: ApprovalRequest, { reason }: Decided): void {
    this.#fault ??= new AssayError(
      'APPROVAL_UNANSWERED',
      `The agent requested an approval about "${tool}" that the policy does not answer: ${reason}.`,
    );
  }
}

/** A form or a question that needs values is not answered without them. */
function complete(decided: Decided, { required = [] }: ApprovalRequest): Decided {
  if (decided.answer !== 'allow') return decided;
  const given = isRecord(decided.content) ? decided.content : {};
  const missing = required.filter((name) => !Object.hasOwn(given, name));
  if (missing.length === 0) return decided;
  return { ...decided, answer: 'none', reason: `\`content\` of the rule lacks ${missing.join(', ')}` };
}

function fits({ rule: { tool, matches } }: PlacedApprovalRule, request: ApprovalRequest): boolean {
  const names = tool === undefined ? [] : [tool].flat();
  if (names.length > 0 && !names.some((name) => isNamed(request, name))) return false;
  if (matches === undefined) return true;
  const text = request.shellCommand ?? (typeof request.request === 'string' ? request.request : undefined);
  return compileTextPattern(matches).occursIn(text ?? JSON.stringify(request.request) ?? '');
}

function withoutUnset<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

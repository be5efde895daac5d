import { AssayError } from '../../../domain/errors.ts';
import { type HarnessItem, harnessItems, itemText } from '../../../domain/harness.ts';
import type { EmitTrace, Trace } from '../../../domain/trace.ts';
import { oneLine } from '../../../shared/text.ts';
import type { ReceivedRequest } from '../../wire/codec.ts';
import { promptText } from '../../wire/request.ts';
import type { AgentRun } from './agent-run.ts';
import { harnessOfTrial } from './lay-harness.ts';

/** Looks for a harness where its agent must show it. Parts that are not seen make the trial an error. */
export class HarnessProof {
  readonly #run: AgentRun;
  readonly #items: readonly HarnessItem[];
  /** Of the other harnesses of the scenario: an agent that has them too is not the one that was meant. */
  readonly #strangers: readonly HarnessItem[];
  readonly #requested = new Map<HarnessItem, string>();
  #requests = 0;

  constructor(run: AgentRun) {
    const { trial, config } = run;
    this.#run = run;
    const own = harnessOfTrial(trial, config);
    const isHandedOver = trial.variant.harness !== undefined && !run.agent.kind.isStandIn;
    this.#items = own && isHandedOver ? harnessItems(own) : [];
    const others = isHandedOver ? Object.values(config.harness ?? {}).flatMap(harnessItems) : [];
    this.#strangers = others.filter(
      ({ part, name }) =>
        (part === 'plugins' || part === 'subagents') &&
        !this.#items.some((item) => item.part === part && item.name === name),
    );
  }

  /** Takes a request of the agent to its model. */
  request(request: ReceivedRequest): void {
    this.#requests++;
    const ways = this.#run.agent.kind.harness ?? {};
    const open = [...this.#items, ...this.#strangers].filter(
      (item) => ways[item.part]?.requested !== undefined && !this.#requested.has(item),
    );
    if (open.length === 0) return;
    const tools = request.tools.map(({ name, description = '' }) => `${name}: ${description}`);
    const text = oneLine([promptText(request), ...tools].join('\n'));
    for (const item of open) {
      const evidence = ways[item.part]?.requested?.(item, text);
      if (evidence !== undefined) this.#requested.set(item, evidence);
    }
  }

  /** Emits where each part was seen; to be called when the agent has ended. Returns why the trial cannot be judged. */
  conclude(trace: Trace, emit: EmitTrace): AssayError | undefined {
    const { harness } = this.#run.trial.variant;
    if (harness === undefined || this.#items.length + this.#strangers.length === 0) return undefined;
    const own = this.#items.map((item) => [itemText(item), this.#evidence(item, trace) ?? null] as const);
    const strangers = this.#strangers.flatMap((item) => {
      const evidence = this.#evidence(item, trace);
      return evidence === undefined ? [] : [[itemText(item), evidence] as const];
    });
    emit({ type: 'harness', seenBy: 'engine', name: harness, parts: Object.fromEntries([...own, ...strangers]) });
    const missing = own.flatMap(([text, evidence]) => (evidence === null ? [text] : []));
    if (missing.length > 0) return this.#unproven(missing);
    const [stranger] = strangers;
    if (stranger === undefined) return undefined;
    return new AssayError(
      'HARNESS_UNPROVEN',
      `The agent has the ${stranger[0]} (${stranger[1]}), which belongs to another harness than "${harness}".`,
      { hint: 'Remove it from the template, the setup and the settings of the agent.' },
    );
  }

  #unproven(missing: readonly string[]): AssayError {
    const { agent, trial } = this.#run;
    const isUnread = this.#requests === 0 && Object.values(agent.kind.harness ?? {}).some((way) => way?.requested);
    const why = isUnread ? ' None of its requests to its model were seen by the gateway.' : '';
    const message = `The agent "${trial.variant.agent ?? agent.kind.name}" does not show the ${missing.join(', the ')} of the harness "${trial.variant.harness}".${why}`;
    return new AssayError('HARNESS_UNPROVEN', message);
  }

  #evidence(item: HarnessItem, trace: Trace): string | undefined {
    const { agent, trial, config } = this.#run;
    const harness = harnessOfTrial(trial, config) ?? {};
    return this.#requested.get(item) ?? agent.kind.harness?.[item.part]?.reported?.(item, trace, harness);
  }
}

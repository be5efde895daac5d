import { controlOfTrial } from '../../domain/control-of-trial.ts';
import { AssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { Trace, TraceEventOf } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Execution } from '../../engine/execution.ts';
import type { RunFeature } from '../../engine/run-feature.ts';
import type { Store, ToolPins } from '../../keep/store/store.ts';
import { sha256 } from '../../shared/ids.ts';

type ServerEvent = TraceEventOf<'mcp-server'>;

/**
 * The definitions of tools that a run began with. They are kept in the store: other machines, and those that resume the
 * run, meet the same tools, or their trials have no verdict.
 */
export class RunPins implements RunFeature {
  readonly #runId: string;
  readonly #store: Pick<Store, 'pinTools'>;
  readonly #accepted = new Map<string, readonly ToolPins[]>();

  constructor(runId: string, store: Pick<Store, 'pinTools'>) {
    this.#runId = runId;
    this.#store = store;
  }

  /** The execution, with a fault where it met tools that differ from those of the run; most trials meet no server. */
  check(trial: Trial, execution: Execution): Execution | Promise<Execution> {
    const hasServer = execution.trace.some(({ type }) => type === 'mcp-server');
    return hasServer && !isBrokenOnPurpose(trial) ? this.#checked(trial, execution) : execution;
  }

  async #checked(trial: Trial, execution: Execution): Promise<Execution> {
    const changes: string[] = [];
    const met = new Set<string>();
    for (const event of execution.trace) {
      if (event.type !== 'mcp-server' || event.isUnlisted) continue;
      const server = `${event.offeredTo} ${event.label}`;
      if (met.has(server) && !event.isAnnounced) continue;
      met.add(server);
      changes.push(...(await this.#changes(trial, event, execution.trace)));
    }
    if (changes.length === 0 || execution.fault) return execution;
    const message = `Tools are not those that the run began with: ${changes.join(', ')}.`;
    return { ...execution, fault: faultOf(new AssayError('MCP_TOOLS_CHANGED', message)) };
  }

  async #changes(trial: Trial, event: ServerEvent, trace: Trace): Promise<string[]> {
    const { file, name } = trial.scenario;
    const { agent = null, attack = null, connector = null, persona = null } = trial.variant;
    const { offeredTo } = event;
    // A server may have other tools for another client, and an attack changes them. Its address may hold a secret.
    const client = offeredTo ? [offeredTo, offeredTo === 'user' ? persona : connector] : [];
    const server = sha256(JSON.stringify([file, name, event.label, agent, attack, ...client]));
    const pins = Object.fromEntries(event.tools.map((tool) => [tool.name, tool.sha256]));
    const mattering = toolsThatMatter(trace);
    const isAnnounced = event.isAnnounced === true;
    const differences = closest(this.#accepted.get(server) ?? [], pins, mattering);
    if (differences?.length === 0) return [];
    const accepted = await this.#store.pinTools(this.#runId, { server, pins, isAnnounced });
    this.#accepted.set(server, accepted);
    return (closest(accepted, pins, mattering) ?? []).map((tool) => `${tool} of "${event.label}"`);
  }
}

/** Such a trial meets other tools because its file wants it. */
function isBrokenOnPurpose(trial: Trial): boolean {
  return (controlOfTrial(trial)?.faults.length ?? 0) > 0;
}

/** Where a model reads the definitions all of them matter; otherwise those of the tools that were called. */
function toolsThatMatter(trace: Trace): ReadonlySet<string> | undefined {
  if (trace.some(({ type }) => type === 'turn' || type === 'agent-started')) return undefined;
  return new Set(trace.flatMap((event) => (event.type === 'tool-call' ? [event.tool] : [])));
}

/** The tools that differ from the version that is most alike; a tool that was added leaves the others as they were. */
function closest(
  versions: readonly ToolPins[],
  pins: ToolPins,
  mattering: ReadonlySet<string> | undefined,
): readonly string[] | undefined {
  const differing = versions.map((version) =>
    Object.keys(version).filter((tool) => version[tool] !== pins[tool] && (mattering?.has(tool) ?? true)),
  );
  return differing.sort((one, other) => one.length - other.length)[0];
}

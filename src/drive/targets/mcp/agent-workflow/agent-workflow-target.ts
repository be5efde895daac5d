import { AssayError } from '../../../../domain/errors.ts';
import { workflowSchema } from '../../../../domain/mcp-suites.ts';
import { type EmitTrace, eventsOf, type TraceEvent } from '../../../../domain/trace.ts';
import type { Trial } from '../../../../domain/trial.ts';
import type { AgentWork } from '../../agent-task/agent-work.ts';
import { attemptTask } from '../../agent-task/attempt-task.ts';
import type { Attempt, StopRequest, Target, TargetContext, TurnControl } from '../../target.ts';
import type { AgentWorkflowConfig } from './agent-workflow-config.ts';
import { workflowTask } from './workflow-task.ts';
import { workflowTurn } from './workflow-turn.ts';

/** Gives the steps of a workflow to an agent as its task, with the server at hand. */
export class AgentWorkflowTarget implements Target {
  readonly #config: AgentWorkflowConfig;
  readonly #context: TargetContext;
  readonly #work: AgentWork;
  /** What the tools of the server were when a trial of the run saw them first. */
  #pins: Readonly<Record<string, string>> | undefined;

  constructor(config: AgentWorkflowConfig, context: TargetContext, work: AgentWork) {
    this.#config = config;
    this.#context = context;
    this.#work = work;
  }

  async attempt(trial: Trial, emit: EmitTrace, stop: StopRequest, turns: TurnControl): Promise<Attempt> {
    const workflow = workflowSchema.parse(trial.case.input);
    const task = workflowTask(workflow, this.#config, trial.variant.description, this.#context);
    const seen: TraceEvent[] = [];
    const attempt = await attemptTask(trial, task, {
      work: this.#work,
      context: this.#context,
      stop,
      emit: (event) => {
        // It is stamped already when it gets here.
        seen.push(event as TraceEvent);
        emit(event);
      },
    });
    this.#assertPinned(seen);
    emit(workflowTurn(seen));
    await turns.afterTurn(true);
    return attempt;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each trial ends what it started.
  }

  #assertPinned(trace: readonly TraceEvent[]): void {
    const [server] = eventsOf(trace, 'mcp-server');
    if (!server) return;
    const now = Object.fromEntries(server.tools.map(({ name, sha256 }) => [name, sha256]));
    this.#pins ??= now;
    // A tool that was added leaves the others as they were.
    const changed = Object.keys(this.#pins).filter((name) => this.#pins?.[name] !== now[name]);
    if (changed.length === 0) return;
    const message = `The tools of the MCP server are not what they were in an earlier trial: ${changed.join(', ')}.`;
    throw new AssayError('MCP_TOOLS_CHANGED', message);
  }
}

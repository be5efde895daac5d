import { AssayError } from '../../../../domain/errors.ts';
import { workflowSchema } from '../../../../domain/mcp/suites.ts';
import { onlyServerName } from '../../../../domain/tools/known-tools.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import type { Trial } from '../../../../domain/trial.ts';
import type { Variant } from '../../../../domain/variant.ts';
import { PolicyApprover } from '../../../approvals/approver.ts';
import { elicitationCapability } from '../../../approvals/elicitation.ts';
import { trialControl } from '../../../mcp/control/trial-control.ts';
import { reportRefused } from '../../../mcp/result-losses.ts';
import { serverEvent } from '../../../mcp/server-event.ts';
import type { ToolChange } from '../../../mcp/session.ts';
import type { Surface } from '../../../mcp/surfaces/make-surface.ts';
import { makeSurface } from '../../../mcp/surfaces/make-surface.ts';
import { chosenSurface } from '../../../mcp/surfaces/tool-surface.ts';
import { changesText } from '../../../mcp/tool-pins.ts';
import type { Model } from '../../../models/model.ts';
import { modelFaultsOf } from '../../../models/with-faults.ts';
import type { StampedTrace } from '../../stamped-trace.ts';
import type { StopRequest, Target, TargetContext, TurnControl } from '../../target.ts';
import type { WorkflowConfig } from '../mcp-workflow-target.ts';
import { leaseServer, noteEarlierChanges, openTape } from '../suite/suite-server.ts';
import { chosenWording, systemPrompt } from './prompt-and-wording.ts';
import { runWorkflow } from './run-workflow.ts';

/** Who drives a workflow that names no model. */
export const usualWorkflowModel = 'anthropic/claude-sonnet-4-5';

/** A server whose tools a model uses. */
export class WorkflowTarget implements Target {
  readonly #config: WorkflowConfig;
  readonly #context: TargetContext;

  constructor(config: WorkflowConfig, context: TargetContext) {
    this.#config = config;
    this.#context = context;
  }

  async attempt(trial: Trial, trace: StampedTrace, stop: StopRequest, turns: TurnControl): Promise<undefined> {
    const { emit } = trace;
    const { timeoutMs, wordings, subsets } = this.#config;
    const workflow = workflowSchema.parse(trial.case.input);
    const wording = chosenWording(trial.variant.description, wordings);
    const chosen = chosenSurface(trial.variant.surface, subsets);
    const { signal } = stop;
    const tape = openTape(this.#context, trial, emit);
    const control = trialControl(trial, emit, onlyServerName, this.#context, tape);
    const approver = PolicyApprover.of(trial, { emit, signal, context: this.#context });
    const capabilities = approver.hasPolicy ? elicitationCapability : undefined;
    const limits = { timeoutMs, signal, control, capabilities };
    await using lease = await trace.preparing(() => leaseServer(this.#config.server, this.#context, limits));
    const { session } = lease;
    using _refused = reportRefused(session, emit);
    const options = { timeoutMs, signal };
    try {
      const { tools, changesInRun } = await lease.pinAgain(options);
      noteEarlierChanges(changesInRun, emit);
      emit(serverEvent(lease, tools));
      const offered = await makeSurface(tools, wording, chosen);
      noteNames(offered, trial.variant, emit);
      const offerAgain = async (changes: readonly ToolChange[]): Promise<Surface> => {
        const now = await session.listTools(options);
        emit({ type: 'notice', message: `The tools of the server changed during the run: ${changesText(changes)}` });
        emit(serverEvent(lease, now));
        return makeSurface(now, wording, chosen);
      };
      const found = await trace.preparing(() => this.#model(trial.variant.model));
      const model = modelFaultsOf(trial, emit)?.(found) ?? found;
      const system = systemPrompt({ instructions: session.facts.instructions, system: workflow.system });
      const { repeat: seed } = trial;
      await turns.prepared?.();
      const waiting = { turns, signal, clock: trace };
      await runWorkflow({
        workflow,
        model,
        system,
        offered,
        offerAgain,
        session,
        lease,
        timeoutMs,
        approver: approver.hasPolicy ? approver : undefined,
        seed,
        emit,
        ...waiting,
      });
      await tape?.conclude();
    } finally {
      for (const message of session.notices()) emit({ type: 'notice', message });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #model(name: string = usualWorkflowModel): Promise<Model> {
    const { models } = this.#context;
    if (!models) throw new AssayError('MODEL_UNKNOWN', `${name} is not available: no models are configured.`);
    return (await models()).find(name);
  }
}

/** Calls are logged by the server's names: expectations hold for every wording and every surface. */
function noteNames({ renamed }: Surface, { description, surface }: Variant, emit: EmitTrace): void {
  const worded = description === undefined ? [] : [`The tools use the wording "${description}"`];
  const offered = surface === undefined ? [] : [`The tools are offered as "${surface}"`];
  const names = renamed.length === 0 ? [] : [`The model sees tools under other names: ${renamed.join(', ')}`];
  for (const message of [...worded, ...offered, ...names]) emit({ type: 'notice', message });
}

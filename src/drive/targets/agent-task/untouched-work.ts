import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { AssayError } from '../../../domain/errors.ts';
import type { Trial } from '../../../domain/trial.ts';
import { StampedTrace } from '../stamped-trace.ts';
import type { Attempt } from '../target.ts';
import type { AgentWork, GateProof } from './agent-work.ts';
import { standInAgent } from './stand-in-agent.ts';

/** Does nothing at all: whatever holds after its work held before. */
const idleAgent = standInAgent('idle', 'does nothing', async () => ({
  exit: { exitCode: 0, signal: null, timedOut: false },
  completed: true,
  reason: null,
  fault: undefined,
}));

/** Why a pass says nothing. */
interface Unproven {
  readonly error: AssayError;
  /** Whether it says something once the agent has used the tool. */
  readonly unlessUsed: boolean;
}

type AttemptWith = (trial: Trial, work: AgentWork, trace: StampedTrace) => Promise<Attempt>;

/** Finds out, once for each scenario and guidance, whether its gates fail without the work. */
export class UntouchedWork {
  readonly #proofs = new Map<string, Promise<GateProof | undefined>>();

  /** Why a pass would say nothing about the agent: every gate holds before any work was done. */
  async nothingProven(trial: Trial, work: AgentWork, attempt: AttemptWith): Promise<Unproven | undefined> {
    if (!work.proveGates) return undefined;
    const { scenario, variant } = trial;
    const key = JSON.stringify([
      scenario.file,
      scenario.name,
      trial.case.caseId,
      variant.guidance ?? null,
      variant.skills ?? null,
    ]);
    const pending = this.#proofs.get(key) ?? this.#prove(trial, work, attempt);
    this.#proofs.set(key, pending);
    const proof = await pending;
    if (!proof?.allHold) return undefined;
    const held = proof.held.join(', ');
    const message = `Every gate passed before the agent did anything (${held}), so passing them proves nothing.`;
    return { error: new AssayError('NOTHING_PROVEN', message), unlessUsed: proof.hasConduct };
  }

  async #prove(trial: Trial, work: AgentWork, attempt: AttemptWith): Promise<GateProof | undefined> {
    const { proveGates } = work;
    if (!proveGates?.isDecisive(trial)) return undefined;
    const folder = `${work.folderOf(trial)}-untouched-${randomUUID().slice(0, 8)}`;
    const trace = new StampedTrace();
    const idle: AgentWork = {
      ...work,
      agents: { find: async () => idleAgent },
      folderOf: () => folder,
      budget: undefined,
      untouched: true,
      proveGates: undefined,
    };
    const idleTrial = { ...trial, trialId: `${trial.trialId}-untouched` };
    try {
      const { workspace, settle } = await attempt(idleTrial, idle, trace);
      try {
        return await proveGates.measure(trial, trace.events, workspace);
      } finally {
        await settle();
      }
    } catch {
      // The trial itself reports why its work directory could not be set up.
      return undefined;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

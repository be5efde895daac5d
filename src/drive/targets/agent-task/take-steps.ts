import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import type { Rewards, ScriptEnd, StepRewards } from '../../../domain/gate.ts';
import { formatDuration } from '../../../shared/format.ts';
import type { AgentReport } from '../../agents/agent.ts';
import { copyTree } from '../../workspace/copy-tree.ts';
import { readRewards } from '../../workspace/reward-files.ts';
import { howItEnded, isGood } from '../../workspace/run-script.ts';
import type { AgentRun } from './agent-run.ts';
import type { AgentSteps, DoneTask, Task } from './agent-steps.ts';
import type { TaskStep } from './container-config.ts';
import { openGraderRoom } from './open-grader-room.ts';
import { beforeAgent, inRoom, readyForAgent, runPhase } from './run-phase.ts';
import { verifyApart } from './verify-apart.ts';

/** The steps of a task: the agent does one after the other in the same container, and each gets its rewards before the next. */
export class TakenSteps implements AgentSteps {
  readonly #run: AgentRun;
  readonly #steps: readonly TaskStep[];
  readonly #reached: { readonly name: string; readonly rewards: Rewards }[] = [];

  constructor(run: AgentRun, steps: readonly TaskStep[]) {
    this.#run = run;
    this.#steps = steps;
  }

  get rewards(): StepRewards {
    return { reached: this.#reached, notReached: this.#steps.slice(this.#reached.length).map(({ name }) => name) };
  }

  async take(doTask: (task: Task) => Promise<DoneTask>): Promise<DoneTask> {
    const reports: AgentReport[] = [];
    try {
      const fault = await this.#takeAll(doTask, reports);
      return { report: joined(reports), fault };
    } catch (error) {
      if (reports.length === 0) throw error;
      return { report: joined(reports), fault: asAssayError(error) };
    }
  }

  async #takeAll(doTask: (task: Task) => Promise<DoneTask>, reports: AgentReport[]): Promise<AssayError | undefined> {
    const { stop, trace, system } = this.#run;
    for (const [index, step] of this.#steps.entries()) {
      const isLast = index === this.#steps.length - 1;
      await this.#prepare(step);
      trace.emit({ type: 'message', role: 'user', text: step.prompt });
      const done = await doTask(this.#taskOf(step, index, isLast));
      reports.push(done.report);
      const fault = done.fault ?? (await system?.serviceFault());
      if (fault || stop.isStopped) return fault;
      const rewards = await this.#verify(step, isLast);
      if (stop.isStopped) return undefined;
      this.#reached.push({ name: step.name, rewards });
      if (!isLast && isTooLow(rewards, step.minReward ?? {})) return undefined;
    }
    return undefined;
  }

  #taskOf({ prompt, timeoutSecs }: TaskStep, index: number, isLast: boolean): Task {
    const { timeoutMs } = this.#run.trial.scenario;
    const own = timeoutSecs === undefined ? timeoutMs : Math.min(timeoutMs, timeoutSecs * 1_000);
    return { prompt, timeoutMs: own, callPrefix: index === 0 ? '' : `${index + 1}-`, isLast };
  }

  /** Files, setup and health check of a step come before its agent. */
  async #prepare({ name, files, setup, readiness }: TaskStep): Promise<void> {
    const { system, env, trial } = this.#run;
    if (system && files !== undefined) await system.copyIn(files, await system.folder());
    if (setup !== undefined) {
      const { timeoutMs } = trial.scenario;
      const end = await runPhase(this.#run, beforeAgent(this.#run, env.before), 'setup', setup, timeoutMs);
      if (!isGood(end) && !this.#run.stop.isStopped) {
        const message = `The setup of the step "${name}" ${howItEnded(end, timeoutMs)}, so the agent did not start with it.`;
        throw new AssayError('WORKSPACE_FAILED', message);
      }
    }
    if (readiness) await readyForAgent(this.#run, readiness);
  }

  async #verify(step: TaskStep, isLast: boolean): Promise<Rewards> {
    const { folder, room, stagedGraders } = this.#run;
    let end: ScriptEnd;
    try {
      if (step.verifier) {
        await stagedGraders?.revealTests([]);
        end = await verifyApart(this.#run, step, step.verifier, isLast);
      } else {
        await stagedGraders?.revealTests(step.tests);
        end = await this.#verifyHere(step);
      }
      const rewards = end.timedOut
        ? `it did not end within ${formatDuration(step.verifyTimeoutSecs * 1_000)}`
        : await readRewards(folder.logsFolder);
      if (typeof rewards !== 'string' || this.#run.stop.isStopped) return typeof rewards === 'string' ? {} : rewards;
      const which = this.#steps.length > 1 ? ` of the step "${step.name}"` : '';
      const how = howItEnded(end, step.verifyTimeoutSecs * 1_000);
      throw new AssayError('NO_REWARD', `The verifier${which} gave no reward: ${rewards}; \`${step.command}\` ${how}`);
    } finally {
      if (this.#steps.length > 1)
        await keepLogs(join(folder.logsFolder, 'verifier'), join(room.privateFolder, 'steps', step.name));
      if (!isLast) await stagedGraders?.revealTests([]);
    }
  }

  async #verifyHere({ command, verifyTimeoutSecs, env }: TaskStep): Promise<ScriptEnd> {
    const room = await openGraderRoom(this.#run);
    const runner = inRoom(room);
    const withEnv: typeof runner = (text, request) => runner(text, { ...request, env });
    return runPhase(this.#run, withEnv, 'post', command, verifyTimeoutSecs * 1_000);
  }
}

/** Where the next step does not find them. */
async function keepLogs(logs: string, kept: string): Promise<void> {
  mkdirSync(kept, { recursive: true });
  await copyTree(logs, kept, { skipsFolder: () => false, skipsLinks: true });
}

/** A reward that was not given is too low. */
function isTooLow(rewards: Rewards, least: Rewards): boolean {
  return Object.entries(least).some(([name, limit]) => (rewards[name] ?? Number.NEGATIVE_INFINITY) < limit);
}

/** One report of several sessions: how the last one ended, unless one before it did not complete. */
function joined(reports: readonly AgentReport[]): AgentReport {
  const last = reports.at(-1);
  if (!last) throw new AssayError('INTERNAL', 'A task with steps had none.');
  const incomplete = reports.find(({ completed }) => !completed) ?? last;
  const turns = reports.flatMap((report) => report.turns ?? []);
  return {
    ...incomplete,
    exit: { ...incomplete.exit, timedOut: reports.some(({ exit }) => exit.timedOut) },
    ...(turns.length === reports.length && { turns: turns.reduce((sum, count) => sum + count, 0) }),
  };
}

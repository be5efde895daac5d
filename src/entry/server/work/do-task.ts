import { openProject } from '../../../compose/config/project.ts';
import { removeRuns } from '../../../compose/store/clean-runs.ts';
import { openStore } from '../../../keep/store/open-store.ts';
import type { Store } from '../../../keep/store/store.ts';
import { type PackedSide, packedSide, unpackedSide } from '../../../report/compare/packed-side.ts';
import { collectSide } from '../../../report/compare/side-collector.ts';
import { storedSource } from '../../../report/compare/stored-source.ts';
import { readRunBreakdown } from '../../../report/reporters/sections/breakdown.ts';
import { checkText } from '../files/check-text.ts';
import { orderCases } from '../grid/case-order.ts';
import type { CollectAside } from '../runs/compared-sides.ts';
import { countStored } from '../runs/count-run.ts';
import { planRun } from '../runs/plan-run.ts';
import { reportPieces } from '../runs/report-pieces.ts';
import { compareRuns, compareSeveral, compareVariants } from './comparisons.ts';
import type { HeavyResults, HeavyTask } from './heavy-task.ts';
import { WorkProcess } from './work-process.ts';

/** How a task says how far it is. */
export interface TaskSteps {
  /** So many further trials were read. */
  read(trials: number): void;
  /** Hands over a piece of a text; resolves when the next is wanted. */
  write(piece: Uint8Array): Promise<void>;
}

/** Does the work of a task. */
export async function doTask(task: HeavyTask, steps: TaskSteps): Promise<HeavyResults[HeavyTask['kind']]> {
  const withStore = <Result>(
    { storeUrl, folder }: { readonly storeUrl: string; readonly folder: string },
    work: (store: Store) => Promise<Result>,
  ): Promise<Result> => inStore(storeUrl, folder, (store) => work(countingReads(store, steps)));
  switch (task.kind) {
    case 'compare':
      return withStore(task, (store) => compareRuns(store, task.runs, sideAside(task, steps)));
    case 'side':
      return withStore(task, async (store) =>
        packedSide(await collectSide(storedSource(task.run, store, task.comparedWith))),
      );
    case 'variants':
      return withStore(task, (store) => compareVariants(store, task.variants));
    case 'breakdown':
      return withStore(task, (store) => readRunBreakdown(store, task.run));
    case 'figures':
      return withStore(task, (store) => countStored(task.run, store));
    case 'trials':
      return withStore(task, (store) => store.readTrialRows(task.run.runId, task.request));
    case 'report':
      return withStore(task, async (store) => {
        const parts = { project: await openProject(task.folder, task.env), store, env: task.env };
        for await (const piece of reportPieces(task.run, task.format, parts, task.compared)) {
          await steps.write(piece);
        }
        return null;
      });
    case 'remove':
      return withStore(task, async (store) => removeRuns(store, await openProject(task.folder, task.env), task.runIds));
    case 'plan':
      return withStore(task, async (store) =>
        planRun(task.wish, { project: await openProject(task.folder, task.env), store, env: task.env }),
      );
    case 'several-runs':
      return withStore(task, (store) => compareSeveral(store, task.several));
    case 'grid':
      return withStore(task, (store) => orderCases(store, task.run, task.selection));
    case 'check':
      return checkText(task.written, {
        env: task.env,
        project: () => openProject(task.folder, task.env),
        scenariosBesides: async () => task.others,
      });
  }
}

/** Reads one side of a comparison in a further process, which ends with this one. */
function sideAside({ storeUrl, folder }: HeavyTask & { readonly kind: 'compare' }, { read }: TaskSteps): CollectAside {
  return async (run, comparedWith) => {
    const worker = new WorkProcess();
    try {
      const task: HeavyTask = { kind: 'side', storeUrl, folder, run, comparedWith };
      const answer = await worker.answer(task, { onRead: read }, new AbortController().signal);
      return 'result' in answer ? unpackedSide(answer.result as PackedSide) : undefined;
    } finally {
      await worker.end();
    }
  };
}

async function inStore<Result>(
  storeUrl: string,
  folder: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  await using store = await openStore(storeUrl, folder, { mustExist: true });
  return await work(store);
}

/** A store that says how many trials were read from it. */
function countingReads(store: Store, { read }: TaskSteps): Store {
  return {
    ...store,
    readTrials: async (...request) => {
      const page = await store.readTrials(...request);
      read(page.length);
      return page;
    },
  };
}

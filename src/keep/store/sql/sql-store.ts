import type { Kysely } from 'kysely';
import type { Store } from '../store.ts';
import { countByCase, countByCell, countByScenario, countTrials } from './counts.ts';
import {
  findTrial,
  findTrialsOfScenario,
  locateTraces,
  readProblems,
  readTrace,
  readTraceAt,
  readTrialPage,
  storedTrialIds,
} from './find-trials.ts';
import { PackReader } from './packed-trials.ts';
import { withNamedFailures } from './postgres-failures.ts';
import { readTrialRows } from './read-trials.ts';
import { claimRun, holdersOf, releaseRun, renewClaim } from './run-claims.ts';
import { beginControls, changeControls, continueRun, pauseRun, readControls } from './run-controls.ts';
import { pinTools } from './run-pins.ts';
import {
  addEarlyLook,
  addHookProblems,
  addStop,
  addWaits,
  countRuns,
  createRun,
  deleteRuns,
  findRun,
  growRun,
  labelRun,
  listRuns,
  listRunsOfScenario,
  readRunRows,
  readRunSizes,
  setExperiment,
  setRunStatus,
  setSpending,
} from './run-rows.ts';
import { readSummary, saveSummary } from './run-summaries.ts';
import {
  readAttempts,
  replaceTrials,
  replaceWaiting,
  saveAttempts,
  saveTrials,
  setAsideErrors,
} from './save-trials.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';

/** The store on any SQL engine that Kysely speaks to; the schema must be up to date. */
export function createSqlStore(db: Kysely<Tables>, engine: SqlEngine): Store {
  const packs = new PackReader(db);
  return withNamedFailures({
    createRun: (run) => createRun(db, run),
    setRunStatus: (runId, status, finishedAt) => setRunStatus(db, runId, status, finishedAt),
    addWaits: (runId, waits) => addWaits(db, runId, waits),
    setSpending: (runId, spending) => setSpending(db, runId, spending),
    addHookProblems: (runId, problems) => addHookProblems(db, runId, problems),
    addEarlyLook: (runId, trials) => addEarlyLook(db, runId, trials),
    addStop: (runId, reason) => addStop(db, runId, reason),
    setExperiment: (runId, planned, experiment) => setExperiment(db, runId, planned, experiment),
    growRun: (runId, planned, scenarios) => growRun(db, runId, planned, scenarios),
    labelRun: (runId, change) => labelRun(db, runId, change),
    listRuns: (limit) => listRuns(db, engine, limit),
    listRunsOfScenario: (scenario, limit) => listRunsOfScenario(db, engine, scenario, limit),
    readRunRows: (request) => readRunRows(db, engine, request),
    countRuns: (isArchived) => countRuns(db, isArchived),
    findRun: (idOrPrefix) => findRun(db, engine, idOrPrefix),
    readRunSizes: () => readRunSizes(db),
    deleteRuns: (runIds) => deleteRuns(db, engine, runIds),

    claimRun: (runId, claim) => claimRun(db, engine, runId, claim),
    renewClaim: (runId, claim) => renewClaim(db, engine, runId, claim),
    releaseRun: (runId, claimId, ending) => releaseRun(db, runId, claimId, ending),
    findHolder: async (runId) => (await holdersOf(db, engine, [runId])).get(runId),

    changeControls: (runId, change) => changeControls(db, runId, change),
    pauseRun: (runId) => pauseRun(db, engine, runId),
    continueRun: (runId) => continueRun(db, engine, runId),
    beginControls: (runId, maxUsd) => beginControls(db, engine, runId, maxUsd),
    readControls: (runId) => readControls(db, engine, runId),

    pinTools: (runId, met) => pinTools(db, runId, met),
    saveTrials: (trials) => saveTrials(db, engine, trials),
    setAsideErrors: (runId, trialIds) => setAsideErrors(db, engine, runId, trialIds),
    replaceWaiting: (trials) => replaceWaiting(db, engine, trials),
    replaceTrials: (trials) => replaceTrials(db, engine, trials),
    saveAttempts: (attempts) => saveAttempts(db, engine, attempts),
    readAttempts: (trialId) => readAttempts(db, packs, trialId),
    storedTrialIds: (trialIds) => storedTrialIds(db, trialIds),
    readTrials: (runId, page) => readTrialPage(db, packs, runId, page, engine.readTrials),
    readTrialRows: (runId, request) => readTrialRows(db, engine.contains, runId, request),
    readProblems: (runId, limit) => readProblems(db, packs, runId, limit),
    findTrialsOfScenario: (scenario, limit) => findTrialsOfScenario(db, packs, scenario, limit),
    findTrial: (idOrPrefix) => findTrial(db, packs, idOrPrefix),
    readTrace: (trialId) => readTrace(db, packs, trialId),
    locateTraces: (trialIds) => locateTraces(db, trialIds),
    readTraceAt: (place) => readTraceAt(packs, place),
    readSummary: (runId, name, stamp) => readSummary(db, { runId, name, stamp }),
    saveSummary: (runId, name, stamp, body) => saveSummary(db, { runId, name, stamp }, body),

    countTrials: (runId) => countTrials(db, runId),
    countByScenario: (runId) => countByScenario(db, runId),
    countByCell: (runId) => countByCell(db, runId),
    countByCase: (runId, scenario) => countByCase(db, engine.eachRow, runId, scenario),

    [Symbol.asyncDispose]: () => db.destroy(),
  });
}

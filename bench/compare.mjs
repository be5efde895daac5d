import { program, runNode, withFolder } from './measure.mjs';

const trials = 10_000;
const limits = { seconds: 5, peakMb: 300 };

/** Two stored runs of 10,000 trials with agents, compared by the built program. */
export async function compare() {
  const results = [];
  for (const cases of [2_000, 10_000]) {
    results.push(
      await withFolder({}, async (folder) => {
        await storeRuns(`sqlite:${folder}/assay.db`, cases);
        const args = [program, 'compare', 'r-before', 'r-after', '--store', `sqlite:${folder}/assay.db`, '--json'];
        const { seconds, peakMb, stdout } = runNode(args, { cwd: folder, withPeak: true });
        const { metrics, answer } = JSON.parse(stdout);
        if (metrics.length < 10 || metrics[0].cases !== cases || answer !== 'worse') throw new Error('not compared');
        return {
          what: `compare 2 runs of ${trials / 1_000},000 trials, ${cases.toLocaleString('en-US')} cases`,
          measured: `${seconds.toFixed(2)} s, ${Math.round(peakMb)} MB, ${metrics.length} figures`,
          target: `at most ${limits.seconds} s and ${limits.peakMb} MB`,
          isMet: seconds <= limits.seconds && peakMb <= limits.peakMb,
        };
      }),
    );
  }
  return results;
}

async function storeRuns(url, cases) {
  const { openStore } = await import('../dist/index.js');
  const store = await openStore(url, '/');
  for (const [runId, passRate] of [
    ['r-before', 0.8],
    ['r-after', 0.7],
  ]) {
    await store.createRun(header(runId));
    for (let start = 0; start < trials; start += 500) {
      const batch = Array.from({ length: 500 }, (_, index) => finished(runId, start + index, cases, passRate));
      await store.saveTrials(batch);
    }
  }
  await store[Symbol.asyncDispose]();
}

function header(runId) {
  const scenario = { name: 'tasks', file: 'tasks.yaml', contentHash: 'a', caseCount: trials, repeat: 1 };
  return {
    runId,
    startedAt: 1_700_000_000_000,
    finishedAt: 1_700_000_100_000,
    status: 'finished',
    planned: trials,
    assayVersion: '1.0.0',
    request: { paths: ['.'], origin: null },
    scenarios: [{ ...scenario, isAgentDriven: true, isConversation: false, serverPart: null }],
  };
}

function finished(runId, ordinal, cases, passRate) {
  const draw = (salt) => (Math.imul(ordinal + runId.length * 7_919 + salt * 104_729, 2_654_435_761) >>> 0) / 2 ** 32;
  const passed = draw(1) < passRate;
  const figures = interactionFigures(draw);
  const gates = gateResults(passed);
  const interaction = {
    source: 'recorder',
    ...figures,
    completed: true,
    subcommands: { create: figures, list: figures },
  };
  const record = {
    ...emptyFindings,
    trialId: `t-${runId}-${ordinal}`,
    runId,
    ordinal,
    scenario: 'tasks',
    file: 'tasks.yaml',
    caseId: `case-${ordinal % cases}`,
    variant: { agent: 'codex', model: 'small' },
    repeat: 1 + Math.floor(ordinal / cases),
    outcome: passed ? 'pass' : 'fail',
    reason: passed ? 'All 3 assertions passed' : 'The third gate did not pass',
    startedAt: 1_700_000_000_000 + ordinal,
    durationMs: 1_000 + 5_000 * draw(7),
    costUsd: 0.01 + 0.02 * draw(8),
    usage: { inputTokens: 5_000 + Math.floor(5_000 * draw(9)), outputTokens: 400 },
    evaluatorResults: gates.map(({ gate_type, passed: success, message }) => ({
      type: gate_type,
      kind: 'assertion',
      state: success ? 'pass' : 'fail',
      success,
      reason: message,
    })),
    metrics: { ...figures, interaction: 0.5, 'counting.items': Math.floor(draw(10) * 20), quality: draw(11) },
    interaction: { ...interaction, unrecorded: [], disagreements: [] },
    gates,
    compositeScore: draw(12),
  };
  return { record, trace: [] };
}

function interactionFigures(draw) {
  return {
    total_commands: 4 + Math.floor(draw(2) * 9),
    unique_commands: 4,
    error_count: 1,
    error_rate: Math.floor(draw(3) * 5) / 10,
    retry_count: 1,
    retry_rate: Math.floor(draw(4) * 3) / 10,
    retries_after_failure: 0,
    help_invocations: Math.floor(draw(5) * 3),
    first_try_success_rate: Math.floor(draw(6) * 10) / 10,
    iteration_ratio: 0.5,
  };
}

function gateResults(passed) {
  return ['file_exists', 'command_succeeds', 'command_json_path'].map((gate_type, index) => ({
    gate_type,
    passed: passed || index !== 2,
    message: 'as it should be, or not',
  }));
}

const emptyFindings = {
  criteria: null,
  judge: null,
  scripts: [],
  turns: [],
  toolHealth: [],
  workflow: [],
  workflowScore: null,
  toolPins: null,
  artifacts: null,
  cachedFrom: null,
  fault: null,
};

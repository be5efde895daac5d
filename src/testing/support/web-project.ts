import type { TrialRecord } from '../../domain/record.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import { runHeader } from '../samples.ts';
import { type fullTrace, fullTrial } from './report-run.ts';

/** Two runs of the same scenarios; what was fine in the first is not in the second. */
const runIds = ['r-first', 'r-second'] as const;

const trialsInRun = 6;

/** The files of a project with something on every page; `text` stands wherever a file can provide a text. */
export function projectFiles(text: string): Record<string, string> {
  const quotedText = JSON.stringify(text);
  return {
    'assay.config.json': JSON.stringify({
      personas: { [personaName]: { description: text, goal: text, systemPrompt: text } },
      connectors: { [connectorName]: { type: 'http', baseUrl: 'http://127.0.0.1:9', config: { path: `/${text}` } } },
      judge: { model: 'openai/gpt-4o-mini' },
    }),
    'scenarios/tool.yaml': `name: ${JSON.stringify(`scenario ${text}`)}\ndescription: ${quotedText}\ntags: [${quotedText}]\ncall: { command: cat }\ncases:\n  - { name: ${quotedText}, input: { text: ${quotedText} } }\npassCriteria: [result.text === input.text]\n`,
    'scenarios/broken.yaml': `name: ${quotedText}\nunknownField: ${quotedText}\n`,
    'scenarios/server.yaml': `name: ${JSON.stringify(`suite ${text}`)}\nserver: { transport: stdio, command: node, args: [${quotedText}] }\ntoolHealthSuites:\n  - { name: ${quotedText}, tests: [{ name: add, description: ${quotedText}, args: {} }] }\n`,
    'rubrics/helpful.yaml': `title: ${quotedText}\npass_threshold: 0.7\ncriteria:\n  - { id: helpful, description: ${quotedText}, weight: 1 }\n`,
  };
}

const personaName = 'someone';
const connectorName = 'somewhere';

/** Two runs of trials that have something of everything; `text` stands wherever a model or a tool can provide a text. */
export async function fillStore(store: Store, text: string): Promise<void> {
  for (const [index, runId] of runIds.entries()) {
    const startedAt = 1_700_000_000_000 + index * 60_000;
    const trials = Array.from({ length: trialsInRun }, (_, ordinal) => storedTrial(runId, index, ordinal, text));
    const finishedAt = startedAt + 30_000;
    const { request } = runHeader(runId);
    const header = { startedAt, finishedAt, status: 'finished', planned: trialsInRun } as const;
    await store.createRun(runHeader(runId, { ...header, request: { ...request, name: `run ${text}` } }));
    await store.saveTrials(trials);
  }
}

/** The id of a trial in the store. */
function trialIdOf(runId: string, ordinal: number): string {
  return `t-${runId}-${ordinal}`;
}

function storedTrial(runId: string, runIndex: number, ordinal: number, text: string): FinishedTrial {
  const outcome = ordinal % 2 === 0 && runIndex === 0 ? 'pass' : 'fail';
  const { record, trace } = fullTrial(ordinal, { outcome, text });
  const judge: TrialRecord['judge'] = record.judge && { ...record.judge, state: outcome, rubricHash: 'abc' };
  const identity = { runId, trialId: trialIdOf(runId, ordinal), caseId: `case ${ordinal} ${text}` };
  return { record: { ...record, ...identity, judge }, trace: [mcpServerEvent(text), ...trace] };
}

function mcpServerEvent(text: string): ReturnType<typeof fullTrace>[number] {
  return {
    type: 'mcp-server',
    at: 0,
    seenBy: 'engine',
    label: `server ${text}`,
    name: text,
    version: text,
    protocolVersion: text,
    transport: 'stdio',
    tools: [{ name: text, sha256: 'f'.repeat(64) }],
  };
}

/** Every page of the web UI, with an address that shows something there. */
export const pages: Readonly<Record<string, string>> = {
  Dashboard: '/',
  Runs: '/runs',
  Run: `/runs/${runIds[1]}`,
  'Run, trials': `/runs/${runIds[1]}?view=trials`,
  Trial: `/trials/${trialIdOf(runIds[1], 1)}`,
  'Trial, waterfall': `/trials/${trialIdOf(runIds[1], 1)}?view=waterfall`,
  'Trial, chat': `/trials/${trialIdOf(runIds[1], 1)}?view=chat`,
  'Trial, files': `/trials/${trialIdOf(runIds[1], 1)}?tab=files`,
  'Trial, artifacts': `/trials/${trialIdOf(runIds[1], 1)}?tab=artifacts`,
  'Trial, record': `/trials/${trialIdOf(runIds[1], 1)}?tab=record`,
  Compare: `/compare?a=${runIds[0]}&b=${runIds[1]}`,
  'Compare, trajectories': `/compare?a=${runIds[0]}&b=${runIds[1]}&left=${trialIdOf(runIds[0], 1)}&right=${trialIdOf(runIds[1], 1)}`,
  Scenarios: '/scenarios',
  'New scenario': '/scenarios/edit',
  'Scenario editor': '/scenarios/edit?file=scenarios%2Ftool.yaml',
  'Scenario, stats': `/scenarios/edit?file=scenarios%2Ftool.yaml&view=stats`,
  'Scenario, code': '/scenarios/edit?file=scenarios%2Ftool.yaml&view=code',
  'Broken scenario': '/scenarios/edit?file=scenarios%2Fbroken.yaml',
  Personas: `/personas?name=${personaName}`,
  Connectors: `/connectors?name=${connectorName}`,
  Rubrics: '/rubrics',
  'Rubric editor': '/rubrics/edit?file=rubrics%2Fhelpful.yaml',
  Settings: '/settings',
  'Config file': '/settings?tab=config',
  Review: '/review',
  Agreement: '/review?tab=agreement',
  Traces: '/traces',
  MCP: '/mcp',
  Workers: '/workers',
  'No such page': '/nowhere',
};

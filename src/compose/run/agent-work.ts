import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentWork, Budget } from '../../drive/targets/agent-task/agent-work.ts';
import type { Judging } from '../../score/judge/judge.ts';
import { artifactsFolder, type Project } from '../config/project.ts';
import type { ProjectAgents } from '../config/project-agents.ts';
import { type RunRedaction, secretFilter } from '../config/redaction.ts';
import { thisProgram } from '../program.ts';
import { isolationFinder } from './agent-isolation.ts';
import { graderPlaces, hiddenPlaces, visiblePlaces } from './hidden-places.ts';
import { UntouchedGates } from './untouched-gates.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Services that targets need to run agents; loaded when the first trial needs them. */
export async function agentWorkOf(
  project: Project,
  agents: ProjectAgents,
  env: Env,
  budget: Budget | undefined,
  { redact, secrets }: RunRedaction,
  judging: Judging,
  openGateway: AgentWork['openGateway'],
  recordings?: AgentWork['recordings'],
): Promise<AgentWork> {
  const { openPriceList } = await import('../../drive/models/prices.ts');
  const { trialFolderName } = await import('../../keep/artifacts/trial-facts.ts');
  const { ShimProbes } = await import('../../drive/interposer/choose-shim.ts');
  const { removeAbandonedRooms } = await import('../../drive/workspace/trial-directory.ts');
  // No trial waits for it.
  void removeAbandonedRooms(env);
  const root = artifactsFolder(project);
  // Only what is there can be hidden, and the first trial writes its files while others run.
  await mkdir(root, { recursive: true });
  let prices: ReturnType<typeof openPriceList> | undefined;
  return {
    agents,
    program: thisProgram(),
    projectFolder: project.folder,
    artifactsFolder: root,
    hidden: hiddenPlaces(project, env),
    graderPlaces: graderPlaces(project, env),
    visible: visiblePlaces(project, env),
    fileHashes: new Map(),
    triedInView: new Map(),
    shims: new ShimProbes(),
    folderOf: (trial) => join(root, trialFolderName(trial, Date.now())),
    findIsolation: await isolationFinder(project, env),
    network: project.config.network,
    openGateway,
    recordings,
    openPrices: () => {
      prices ??= openPriceList(project.config.models);
      return prices;
    },
    redact,
    redactStream: () => secretFilter(project, env, secrets),
    budget,
    proveGates: new UntouchedGates(project.parts.evaluators, judging, {
      env,
      updatesGolden: false,
      redact,
    }),
  };
}

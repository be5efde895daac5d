import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { ScriptEnd } from '../../../domain/gate.ts';
import { copySafely, excludedBy } from '../../containers/safe-archive.ts';
import { copyTree } from '../../workspace/copy-tree.ts';
import { GraderRoom, roomFolders } from '../../workspace/grader-room.ts';
import type { Isolation, TrialSystem } from '../../workspace/isolation.ts';
import { howItEnded, isGood } from '../../workspace/run-script.ts';
import type { AgentRun } from './agent-run.ts';
import type { TaskStep, VerifierConfig } from './container-config.ts';
import { openTrialNetwork } from './limited-network.ts';
import { beforeAgent, inRoom, readyForAgent, runPhase } from './run-phase.ts';
import { trialEnvironment } from './trial-environment.ts';

/** Files of the containers of a trial on their way to its verifier. */
interface Taken {
  /** Absolute: a tar archive. */
  readonly archive: string;
  /** Absolute: the folder that it is laid into. */
  readonly into: string;
}

/** Folder in which an agent leaves files for the verifier without the task naming them. */
const publishedFolder = '/logs/artifacts';
const mainName = 'main';

/**
 * Runs the verifier of a step in a fresh container, which gets copies of the artifacts at the places where they were, and
 * nothing else of the agent. The container of the agent ends first where the agent is not to go on.
 */
export async function verifyApart(
  run: AgentRun,
  step: TaskStep,
  verifier: VerifierConfig,
  isLast: boolean,
): Promise<ScriptEnd> {
  const root = join(run.room.privateFolder, '..', 'verifier');
  rmSync(root, { recursive: true, force: true });
  for (const name of ['work', 'home', 'tmp', 'artifacts', 'taken']) mkdirSync(join(root, name), { recursive: true });
  const published = join(run.folder.logsFolder, 'artifacts');
  if (existsSync(published)) {
    await copyTree(published, join(root, 'artifacts'), { skipsFolder: () => false, skipsLinks: true });
  }
  const taken = await takeArtifacts(run, verifier, join(root, 'taken'), isLast);
  const isolation = await run.work.findIsolation('container', verifier);
  await using system = await openVerifier(run, verifier, isolation, root);
  for (const { archive, into } of taken) await system?.copyIn(archive, into);
  return await judge(run, step, { verifier, isolation, system });
}

/** In two passes: evidence in services is taken when nothing of the agent runs any more. */
async function takeArtifacts(
  run: AgentRun,
  verifier: VerifierConfig,
  folder: string,
  isLast: boolean,
): Promise<Taken[]> {
  const { system } = run;
  const ofMain = (service: string | undefined): boolean => service === undefined || service === mainName;
  const taken: Taken[] = [];
  for (const pass of [ofMain, (service: string | undefined) => !ofMain(service)]) {
    if (pass !== ofMain && isLast) await system?.stop();
    for (const hook of verifier.collect.filter(({ service }) => pass(service))) await runHook(run, hook);
    for (const artifact of verifier.artifacts.filter(({ service }) => pass(service))) {
      const number = String(verifier.artifacts.indexOf(artifact));
      const found = await takeOne(run, artifact, join(folder, number));
      if (found) taken.push(found);
    }
  }
  return taken;
}

async function takeOne(
  { system, trace }: AgentRun,
  { source, service, exclude }: VerifierConfig['artifacts'][number],
  file: string,
): Promise<Taken | undefined> {
  const isElsewhere = service !== undefined && service !== mainName;
  const notice = (message: string): void => trace.emit({ type: 'notice', message });
  const path = source.replace(/\/+$/, '');
  // Mounted into both containers.
  if (!isElsewhere && (path === publishedFolder || path === '/logs')) return undefined;
  if (!(await system?.copyOut(path, `${file}.all`, isElsewhere ? service : undefined))) {
    notice(`The verifier did not get ${source}: it is not in the container${isElsewhere ? ` of "${service}"` : ''}.`);
    return undefined;
  }
  const leftOut = copySafely(`${file}.all`, file, excludedBy(exclude));
  if (leftOut.length > 0)
    notice(`The verifier did not get links and special files of ${source}: ${leftOut.slice(0, 5).join(', ')}.`);
  rmSync(`${file}.all`);
  return { archive: file, into: dirname(path) };
}

/** Where evidence could not be collected, a verifier would judge by what was not observed. */
async function runHook(
  run: AgentRun,
  { service, command, timeoutSecs }: VerifierConfig['collect'][number],
): Promise<void> {
  const { system, env, stop } = run;
  const timeoutMs = timeoutSecs * 1_000;
  let problem: string | undefined;
  if (service !== undefined && service !== mainName) problem = await system?.runInService(service, command, timeoutMs);
  else {
    const end = await beforeAgent(run, env.before)(command, { timeoutMs, signal: stop.signal });
    if (!isGood(end)) problem = howItEnded(end, timeoutMs);
  }
  if (problem === undefined || stop.isStopped) return;
  const place = service ?? mainName;
  throw new AssayError('NO_REWARD', `\`${command}\`, which collects evidence in "${place}", failed: ${problem}`);
}

async function openVerifier(
  { folder, room }: AgentRun,
  { imageFolder, cpus, memoryMb, network }: VerifierConfig,
  isolation: Isolation,
  root: string,
): Promise<TrialSystem | undefined> {
  const at = (name: string): string => join(root, name);
  return isolation.openSystem?.({
    folders: {
      directory: at('work'),
      home: at('home'),
      tmp: at('tmp'),
      writable: [],
      staged: [
        { path: room.graderFolder, source: room.graderFolder, isWritable: true },
        { path: '/logs/verifier', source: join(folder.logsFolder, 'verifier'), isWritable: true },
        { path: publishedFolder, source: at('artifacts'), isWritable: true },
      ],
    },
    hasOwnNetwork: network !== 'open',
    imageFolder,
    cpus,
    memoryMb,
  });
}

interface Place {
  readonly verifier: VerifierConfig;
  readonly isolation: Isolation;
  readonly system: TrialSystem | undefined;
}

async function judge(run: AgentRun, step: TaskStep, { verifier, isolation, system }: Place): Promise<ScriptEnd> {
  const { trial, folder, workspace, room, context, trace } = run;
  const variables = trialEnvironment(trial, verifier, folder, workspace, roomFolders(room.graderFolder), context.env);
  using network = openTrialNetwork(verifier.network, undefined, {}, trace.emit, { system });
  if (network && system) await network.enter(system.pid);
  const env = network?.environment(variables.after) ?? variables.after;
  await readyForAgent({ ...run, system, env: { before: env, after: env } }, verifier.readiness);
  const ofVerifier = new GraderRoom({
    folder: room.graderFolder,
    trialFolder: folder.path,
    directory: workspace.directory,
    scenarioFolder: trial.scenario.directory,
    isolation,
    system,
    network: verifier.network === 'open' ? 'open' : 'none',
    view: { writable: [] },
    viewOfWork: { writable: [] },
    env,
    envBeside: {},
    programsOfWork: [],
  });
  const runner = inRoom(ofVerifier);
  const withEnv: typeof runner = (text, request) => runner(text, { ...request, env: step.env });
  return await runPhase(run, withEnv, 'post', step.command, step.verifyTimeoutSecs * 1_000);
}

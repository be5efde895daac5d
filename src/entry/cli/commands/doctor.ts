import { createColors } from 'picocolors';
import { openProject } from '../../../compose/config/project.ts';
import { version } from '../../../compose/program.ts';
import { asAssayError } from '../../../domain/errors.ts';
import type { IsolationTier } from '../../../domain/isolation-tier.ts';
import { findChromium } from '../../../drive/browser/find-chromium.ts';
import type { Hideable } from '../../../drive/workspace/hiding.ts';
import { shownStoreUrl } from '../../../keep/store/open-store.ts';
import { importModule } from '../../../shared/import-module.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, hasColor, write } from '../context.ts';
import { openProjectStore, storeOption } from '../project-store.ts';

interface Finding {
  readonly what: string;
  readonly isGood: boolean;
  readonly detail: string;
}

/** `assay doctor`: what works here, and what to do about what does not. */
export const doctor: CliCommand = {
  configure(command) {
    command.option(...storeOption).option('--json', 'print one JSON document');
  },
  async run({ options, context }) {
    const findings = [
      nodeFinding(),
      await finding('config', () => describeConfig(context)),
      await finding('store', () => describeStore(context, options.store as string | undefined)),
      await finding('TypeScript modules', describeJiti),
      await finding('isolation of agents', () => describeIsolation(context)),
      await finding('agents', () => describeUsableAgents(context)),
      { what: 'terminals of agents', isGood: true, detail: await describeTerminals() },
      { what: 'browser of agents', isGood: true, detail: describeBrowser(context) },
      await finding('gateway', () => describeGateway(context)),
      await finding('models', () => describeProvidersHere(context)),
    ];
    const isGood = findings.every((found) => found.isGood);
    const isolation = await describeTiers(context);
    if (options.json) {
      await write(context.stdout, `${JSON.stringify({ version, findings, isolation }, null, 2)}\n`);
      return isGood ? 0 : 3;
    }
    const colors = createColors(hasColor(context.stdout, context.env));
    const lines = findings.map(
      (found) => `  ${found.isGood ? colors.green('✓') : colors.red('✗')} ${found.what.padEnd(20)} ${found.detail}`,
    );
    const table = tierLines(isolation).map((line) => `  ${line}`);
    await write(context.stdout, `assay ${version}\n${lines.join('\n')}\n\n${table.join('\n')}\n`);
    return isGood ? 0 : 3;
  },
};

/** Nothing is wrong where no scenario has a browser. */
function describeBrowser({ env }: CliContext): string {
  return findChromium(env) ?? 'no Chromium on PATH or in ASSAY_CHROMIUM; scenarios with a `browser` need one';
}

/** An isolation of agents: whether it works here, and what it hides from them. */
interface DescribedTier {
  readonly tier: IsolationTier;
  /** Why it does not work here; null where it does. */
  readonly problem: string | null;
  readonly hides: Readonly<Record<Hideable, boolean>>;
  /** Why it cannot limit the network of agents here; null where it can. */
  readonly networkProblem: string | null;
}

async function describeTiers({ env }: CliContext): Promise<DescribedTier[]> {
  const { findEngine } = await import('../../../drive/containers/engine.ts');
  const { IsolationProbes } = await import('../../../drive/workspace/find-isolation.ts');
  const { hiddenByTier } = await import('../../../drive/workspace/hiding.ts');
  const { networkProblem } = await import('../../../drive/network/probe-network.ts');
  const probes = new IsolationProbes();
  const engine = findEngine(env).then(
    () => null,
    (error: unknown) => asAssayError(error).message.replace(/^.*?: /, ''),
  );
  const tiers = await Promise.all(
    (['bubblewrap', 'process', 'none'] as const).map(async (tier) => {
      const probed = await probes.probe(tier);
      const hides = hiddenByTier[tier];
      if ('problem' in probed) return { tier, problem: probed.problem, hides, networkProblem: 'it does not work here' };
      return { tier, problem: null, hides, networkProblem: await networkProblem(probed.isolation) };
    }),
  );
  const problem = await engine;
  const container = { tier: 'container' as const, problem, hides: hiddenByTier.container };
  return [{ ...container, networkProblem: problem === null ? null : 'it does not work here' }, ...tiers];
}

const hiddenTitles: Readonly<Record<Hideable, string>> = {
  project: 'project',
  graders: 'graders',
  otherTrials: 'other trials',
  home: 'HOME',
  processes: 'other processes',
};

function tierLines(tiers: readonly DescribedTier[]): string[] {
  const titles = Object.entries(hiddenTitles) as [Hideable, string][];
  const rows = [
    ['hidden from agents', ...titles.map(([, title]) => title), 'network', 'works here'],
    ...tiers.map(({ tier, problem, hides, networkProblem }) => [
      tier,
      ...titles.map(([what]) => (hides[what] ? 'hidden' : 'visible')),
      networkProblem === null ? 'can be limited' : 'open',
      // Without an image, no container can be tried.
      problem !== null ? `no: ${problem}` : tier === 'container' ? 'engine found, not tried' : 'yes',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...table, ...tiers.flatMap(openNetworkLine), ...tiers.flatMap(plainRecorderLine)];
}

/** Images need not have perl, which the exact recorder is written in. */
function plainRecorderLine({ tier, problem }: DescribedTier): string[] {
  if (tier !== 'container' || problem !== null) return [];
  return [
    'In a container, calls of the tool are recorded without their output, and an agent could change the records.',
  ];
}

/** Why a tier that works leaves the network open. */
function openNetworkLine({ tier, problem, networkProblem }: DescribedTier): string[] {
  if (problem !== null || networkProblem === null) return [];
  return [`The network stays open with ${tier}: ${networkProblem}.`];
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isGood = major > 20 || (major === 20 && minor >= 19);
  return {
    what: 'Node.js',
    isGood,
    detail: isGood ? process.versions.node : `${process.versions.node}; 20.19 or newer is needed`,
  };
}

/** Providers with their settings complete; without any, only scenarios that need a model cannot run. */
async function describeProvidersHere({ cwd, env }: CliContext): Promise<string> {
  const { describeProviders } = await import('../../../drive/models/describe-models.ts');
  const { config } = await openProject(cwd, env);
  const ready = describeProviders(config.models, env).filter(({ missing }) => missing === null);
  const names = ready.map(({ name }) => name).join(', ');
  return `${names === '' ? 'no provider has a key' : names}; run \`assay list models\` to see which variables each provider reads`;
}

async function finding(what: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { what, isGood: true, detail: await look() };
  } catch (error) {
    const { message, hint } = asAssayError(error);
    return { what, isGood: false, detail: `${message} ${hint}`.trim() };
  }
}

async function describeConfig(context: CliContext): Promise<string> {
  const { configFile } = await openProject(context.cwd, context.env);
  return configFile ?? 'none; the defaults apply';
}

async function describeStore(context: CliContext, flag: string | undefined): Promise<string> {
  const { config } = await openProject(context.cwd, context.env);
  await using store = await openProjectStore(context, flag);
  const [newest] = await store.listRuns(1);
  const url = shownStoreUrl(flag ?? context.env.ASSAY_STORE ?? config.store);
  return `${url}, ${newest ? `newest run ${newest.runId}` : 'no runs yet'}`;
}

async function describeIsolation(context: CliContext): Promise<string> {
  const { config } = await openProject(context.cwd, context.env);
  const { findIsolation } = await import('../../../drive/workspace/find-isolation.ts');
  if (config.isolation === 'container') {
    const { findEngine } = await import('../../../drive/containers/engine.ts');
    return `container: ${(await findEngine(context.env)).command.join(' ')}`;
  }
  const { tier } = await findIsolation(config.isolation);
  return tier === 'none' ? 'none: neither bubblewrap nor namespaces work here' : tier;
}

async function describeUsableAgents(context: CliContext): Promise<string> {
  const { describeAgents } = await import('../../../compose/config/project-agents.ts');
  const described = await describeAgents(await openProject(context.cwd, context.env), context.env);
  const usable = described
    .filter(({ isUsable }) => isUsable)
    .map(({ name, version }) => `${name} ${version ?? ''}`.trim());
  return usable.length === 0 ? 'none found; run `assay list agents` to see how to install one' : usable.join(', ');
}

/** Which agents are observed between them and their models, and which are not. */
async function describeGateway(context: CliContext): Promise<string> {
  const { describeAgents } = await import('../../../compose/config/project-agents.ts');
  const described = await describeAgents(await openProject(context.cwd, context.env), context.env);
  const usable = described.filter(({ isUsable }) => isUsable);
  const named = (isRecorded: boolean): string =>
    usable
      .filter((agent) => agent.isRecorded === isRecorded)
      .map(({ name }) => name)
      .join(', ');
  if (usable.length === 0) return 'no agents to record';
  const direct = named(false);
  return `records the model calls of ${named(true) || 'no agent'}${direct ? `; not of ${direct}` : ''}`;
}

/** A terminal is optional, so a machine without one is not at fault. */
async function describeTerminals(): Promise<string> {
  const { terminalProblem } = await import('../../../drive/workspace/agent-terminal.ts');
  const problem = await terminalProblem();
  return problem === undefined ? 'can be opened' : `none: ${problem}; agents with \`terminal: true\` get pipes`;
}

async function describeJiti(): Promise<string> {
  const { createJiti } = (await importModule('jiti')) as typeof import('jiti');
  createJiti(import.meta.url);
  return 'can be loaded';
}

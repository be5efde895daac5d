import { type BrowserSettings, browserServer, pageType } from '../../domain/browser.ts';
import { AssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import { eventsOf, type Trace, type TraceEvent } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import type { PreparedWork } from '../../drive/targets/target.ts';
import type { Execution } from '../../engine/execution.ts';
import type { RunPlace } from '../../engine/feature.ts';
import type { PerformTrial, RunFeature } from '../../engine/run-feature.ts';
import {
  keyOfLook,
  lookOf,
  nameOfLook,
  type PageConfig,
  type PageLook,
} from '../../score/evaluators/assertions/page/page-config.ts';
import { readPage } from './read-page.ts';
import { settingsOf } from './settings.ts';
import { TrialBrowser } from './trial-browser.ts';

type Stamp = Pick<TraceEvent, 'at' | 'seenBy'>;

/** Opens a browser for each trial that has one, reads its pages when the agent has ended, and closes it. */
export class Browsers implements RunFeature {
  readonly #place: Pick<RunPlace, 'env' | 'project'>;
  readonly #open = new Map<Trial, TrialBrowser>();

  constructor({ env, project }: Pick<RunPlace, 'env' | 'project'>) {
    this.#place = { env, project };
  }

  async around(trial: Trial, perform: PerformTrial) {
    try {
      return await perform();
    } finally {
      // Where a trial was interrupted, nothing is read.
      await this.#close(trial);
    }
  }

  async prepared(trial: Trial, work: PreparedWork | undefined, signal: AbortSignal): Promise<void> {
    const settings = settingsOf(trial.scenario);
    if (!settings || !work) return;
    const browser = await this.#openFor(trial, settings, work, signal);
    work.offer(browser.offer);
  }

  async check(trial: Trial, execution: Execution): Promise<Execution> {
    const browser = this.#open.get(trial);
    if (!browser) return execution;
    try {
      return await concluded(trial, execution, browser);
    } finally {
      await this.#close(trial);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const trial of this.#open.keys()) await this.#close(trial);
  }

  async #openFor(trial: Trial, settings: BrowserSettings, work: PreparedWork, signal: AbortSignal) {
    const { env, project } = this.#place;
    const { directory } = trial.scenario;
    const browser = await TrialBrowser.open({ settings, directory, project: project.folder, env, work, signal });
    this.#open.set(trial, browser);
    return browser;
  }

  async #close(trial: Trial): Promise<void> {
    const browser = this.#open.get(trial);
    this.#open.delete(trial);
    await browser?.[Symbol.asyncDispose]();
  }
}

async function concluded(trial: Trial, execution: Execution, browser: TrialBrowser): Promise<Execution> {
  const { trace, fault } = execution;
  const stamp: Stamp = { at: trace.at(-1)?.at ?? 0, seenBy: 'engine' };
  const notices = browser.refused.map(
    (host): TraceEvent => ({ type: 'notice', ...stamp, message: `A page wanted ${host}, which is not allowed.` }),
  );
  const pages: TraceEvent[] = [];
  if (!fault && browser.end === undefined)
    for (const look of looksOf(trial)) pages.push(await pageEvent(look, browser, trace, stamp));
  if (pages.some(({ type }) => type === 'gap')) await browser.endIfEnding();
  const ended = browser.end;
  const died =
    ended === undefined ? undefined : new AssayError('BROWSER_DIED', `The browser cannot be read: ${ended}.`);
  return { ...execution, trace: [...trace, ...notices, ...pages], fault: fault ?? (died && faultOf(died)) };
}

/** A page that cannot be read is a loss, and the engine refuses to judge by it. */
async function pageEvent(look: PageLook, browser: TrialBrowser, trace: Trace, stamp: Stamp): Promise<TraceEvent> {
  try {
    const standIn = standsIn(trace);
    if (standIn !== undefined)
      throw new Error(`a call of the agent was answered by a ${standIn} and not by the browser`);
    return { type: 'page-state', ...stamp, ...(await readPage(look, browser)) };
  } catch (error) {
    const reason = `${nameOfLook(look)} could not be read: ${(error as Error).message.replace(/\.$/, '')}`;
    return { type: 'gap', ...stamp, channels: ['page'], reason };
  }
}

/** Who answered a call that the browser never got: its page is not the one that the agent saw then. */
function standsIn(trace: Trace): string | undefined {
  const calls = new Set(
    eventsOf(trace, 'tool-call').flatMap(({ server, callId }) => (server === browserServer ? [callId] : [])),
  );
  const answered = eventsOf(trace, 'tool-result').find(
    ({ callId, answeredBy }) => calls.has(callId) && (answeredBy === 'mock' || answeredBy === 'replay'),
  );
  return answered?.answeredBy;
}

function looksOf({ case: { evaluators } }: Trial): readonly PageLook[] {
  const looks = evaluators.flatMap(({ type, config }) => (type === pageType ? [lookOf(config as PageConfig)] : []));
  return [...new Map(looks.map((look) => [keyOfLook(look), look])).values()];
}

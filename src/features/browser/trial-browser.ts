import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserSettings, browserServer } from '../../domain/browser.ts';
import { AssayError } from '../../domain/errors.ts';
import { findChromium } from '../../drive/browser/find-chromium.ts';
import type { AgentOffer, PreparedWork } from '../../drive/targets/target.ts';
import { cleanEnvironment } from '../../drive/workspace/clean-environment.ts';
import { scratchRoom } from '../../drive/workspace/trial-directory.ts';
import { expandVariables } from '../../shared/variables.ts';
import { Chromium } from './chromium.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { PageNetwork } from './page-network.ts';
import { Pictures } from './pictures.ts';
import { Site } from './site.ts';
import { Tabs } from './tabs.ts';

const endingMs = 3_000;

interface BrowserPlace {
  readonly settings: BrowserSettings;
  /** Folder of the scenario, absolute. */
  readonly directory: string;
  /** Of the project, absolute. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly work: Pick<PreparedWork, 'keptFolder'>;
  readonly signal: AbortSignal;
}

/** The browser of one trial, with everything that it needs; disposing of it leaves nothing behind. */
export class TrialBrowser implements AsyncDisposable {
  readonly start: URL;
  readonly tabs: Tabs;
  readonly pictures: Pictures;
  readonly #chromium: Chromium;
  readonly #network: PageNetwork;
  readonly #endpoint: McpEndpoint;
  readonly #site: Site | undefined;
  readonly #parts: Parts;

  private constructor(opened: Opened, parts: Parts) {
    this.start = opened.start;
    this.tabs = opened.tabs;
    this.pictures = opened.pictures;
    this.#chromium = opened.chromium;
    this.#network = opened.network;
    this.#endpoint = opened.endpoint;
    this.#site = opened.site;
    this.#parts = parts;
  }

  static async open(place: BrowserPlace): Promise<TrialBrowser> {
    const parts = new Parts();
    try {
      return new TrialBrowser(await openParts(place, parts), parts);
    } catch (error) {
      await parts[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The part of it that the agent gets. */
  get offer(): AgentOffer {
    const { address } = this.#chromium;
    const definition = { transport: 'shttp' as const, url: this.#endpoint.url, headers: {} };
    return {
      mcpServers: { [browserServer]: { definition, surface: null } },
      env: { ASSAY_BROWSER_START: this.start.href, ...(address !== undefined && { ASSAY_BROWSER_CDP: address }) },
      needsOpenNetwork: address === undefined ? undefined : '`browser: { cdp: true }`',
    };
  }

  /** Why it, or the site of its pages, is not there any more. */
  get end(): string | undefined {
    return this.#chromium.end ?? (this.#site?.hasEnded ? 'the site of its pages ended' : undefined);
  }

  /** Waits for the end of a browser that is about to end: its tabs go first, and it opens no other. */
  async endIfEnding(): Promise<void> {
    await this.tabs.add().catch(() => this.#chromium.endWithin(endingMs));
  }

  /** Hosts that its pages wanted and did not reach. */
  get refused(): readonly string[] {
    const { wanted } = this.tabs;
    return this.#network.refused.filter((host) => wanted.has(host));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]();
  }
}

/** Everything that was opened, closed in the reverse order. */
class Parts implements AsyncDisposable {
  readonly #parts: (Disposable | AsyncDisposable)[] = [];

  use<Part extends Disposable | AsyncDisposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      if (Symbol.asyncDispose in part) await part[Symbol.asyncDispose]();
      else part[Symbol.dispose]();
    }
  }
}

interface Opened {
  readonly start: URL;
  readonly tabs: Tabs;
  readonly pictures: Pictures;
  readonly chromium: Chromium;
  readonly network: PageNetwork;
  readonly endpoint: McpEndpoint;
  readonly site: Site | undefined;
}

async function openParts(place: BrowserPlace, parts: Parts): Promise<Opened> {
  const { settings, directory, project, env, work, signal } = place;
  const program = findChromium(env);
  if (program === undefined) throw new AssayError('BROWSER_MISSING', missing(env));
  const room = scratchRoom({ env, projects: [project, directory] });
  parts.use({ [Symbol.asyncDispose]: () => rm(room, { recursive: true, force: true, maxRetries: 5 }) });
  const [profile, home] = [join(room, 'profile'), join(room, 'home')];
  for (const folder of [profile, home]) mkdirSync(folder);
  const clean = cleanEnvironment(env, { home, tmp: home });
  const site = settings.site && (await Site.start({ command: settings.site, directory, env: clean, signal }));
  if (site) parts.use(site);
  const start = startOf(settings, site || undefined, env);
  const network = parts.use(await PageNetwork.open(start, settings.allow));
  const request = {
    program,
    profile,
    home,
    proxy: network.address,
    opensPort: settings.cdp,
    env: clean,
    tag: randomUUID(),
  };
  const chromium = parts.use(await Chromium.start(request));
  const tabs = await Tabs.follow(chromium);
  const tab = await tabs.add();
  tabs.use(tab);
  await tab.open(start.href).catch((error: Error) => {
    throw new AssayError('SITE_NOT_READY', `The browser cannot begin: ${error.message}`);
  });
  const pictures = new Pictures(work.keptFolder, settings.screenshots);
  const endpoint = parts.use(await McpEndpoint.open({ tabs, pictures }));
  return { start, tabs, pictures, chromium, network, endpoint, site: site || undefined };
}

function startOf({ start }: BrowserSettings, site: Site | undefined, env: BrowserPlace['env']): URL {
  const written = expandVariables(start, env);
  const base = site && `http://localhost:${site.port}/`;
  if (URL.canParse(written, base)) return new URL(written, base);
  throw new AssayError('CONFIG_INVALID', `\`browser.start\` is not an address: ${written}`);
}

function missing({ ASSAY_CHROMIUM: named }: BrowserPlace['env']): string {
  return named === undefined || named === ''
    ? 'No Chromium is on PATH.'
    : `ASSAY_CHROMIUM names ${named}, which is not a program.`;
}

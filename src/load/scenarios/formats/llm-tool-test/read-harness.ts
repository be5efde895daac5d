import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type HarnessConfig, type HarnessPart, scriptsPlace } from '../../../../domain/harness.ts';
import { frontMatterField } from '../../../../domain/skill.ts';
import { isRecord, textsIn } from '../../../../shared/json.ts';
import { oneLine } from '../../../../shared/text.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import type { HarnessArm } from './harness-schema.ts';
import type { LlmToolTestReading } from './llm-tool-test-schema.ts';
import { lookUp } from './named-files.ts';

type Plugin = NonNullable<HarnessConfig['plugins']>[number];
type Subagent = NonNullable<HarnessConfig['subagents']>[number];

/** Reads the files of one harness. */
export class HarnessReader {
  readonly files: string[] = [];
  readonly #path: DataPath;
  readonly #reading: LlmToolTestReading;

  constructor(path: DataPath, reading: LlmToolTestReading) {
    this.#path = path;
    this.#reading = reading;
  }

  async read({ plugins, hooks, subagents, permission_mode, settings }: HarnessArm): Promise<HarnessConfig> {
    return {
      ...(plugins && { plugins: await this.#each('plugins', plugins, (path) => this.#plugin(path)) }),
      ...(hooks !== undefined && { hooks: await this.#hooks(hooks) }),
      ...(subagents && { subagents: await this.#each('subagents', subagents, (path) => this.#subagents(path)) }),
      ...(permission_mode !== undefined && { permission_mode }),
      ...(settings !== undefined && { settings: await this.#settings(settings) }),
    };
  }

  #refuse(part: HarnessPart, message: string, hint?: string): void {
    const at = this.#reading.source.locate([...this.#path, part]);
    this.#reading.found.problems.push({ at, message, ...(hint !== undefined && { hint }) });
  }

  async #find(part: HarnessPart, name: string, kinds: readonly ('file' | 'folder')[]): Promise<string | undefined> {
    const lookup = await lookUp({ name, kinds }, this.#reading.context);
    if ('path' in lookup) {
      this.files.push(lookup.path);
      return lookup.path;
    }
    this.#refuse(part, lookup.message, lookup.hint);
    return undefined;
  }

  async #each<Found extends { readonly name: string }>(
    part: 'plugins' | 'subagents',
    written: string | readonly string[],
    read: (path: string) => Promise<readonly Found[]>,
  ): Promise<Found[]> {
    const all: Found[] = [];
    for (const name of [written].flat()) {
      const path = await this.#find(part, name, part === 'plugins' ? ['folder'] : ['file', 'folder']);
      if (path !== undefined) all.push(...(await read(path)));
    }
    const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) !== index);
    if (twice) this.#refuse(part, `duplicate name \`${twice.name}\``);
    return all;
  }

  async #plugin(folder: string): Promise<Plugin[]> {
    for (const manifest of ['.claude-plugin/plugin.json', 'gemini-extension.json']) {
      const value = parsed(await textOf(join(folder, manifest)));
      if (!isRecord(value)) continue;
      const context = typeof value.contextFileName === 'string' ? value.contextFileName : 'GEMINI.md';
      const description = oneLine((await textOf(join(folder, context))) ?? '').slice(0, 200);
      if (typeof value.name === 'string' && isFileName(value.name))
        return [{ name: value.name, folder, ...(description !== '' && { description }) }];
    }
    const hint = 'Add a `.claude-plugin/plugin.json` for Claude Code, or a `gemini-extension.json` for Gemini CLI.';
    this.#refuse('plugins', `\`${basename(folder)}\` has no manifest with a \`name\``, hint);
    return [];
  }

  async #subagents(path: string): Promise<Subagent[]> {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder ? (await readdir(path)).filter((name) => name.endsWith('.md')).sort() : [''];
    if (files.length === 0) this.#refuse('subagents', `\`${basename(path)}\` has no Markdown files`);
    const found: Subagent[] = [];
    for (const each of files) {
      const file = join(path, each);
      const text = (await textOf(file)) ?? '';
      const name = frontMatterField(text, 'name') || basename(file, extname(file));
      const description = frontMatterField(text, 'description');
      if (description === '') this.#refuse('subagents', `\`${basename(file)}\` has no \`description\``);
      else if (!isFileName(name)) this.#refuse('subagents', `\`${basename(file)}\` has an unusable name \`${name}\``);
      else found.push({ name, description, file });
    }
    return found;
  }

  async #hooks(written: string | Record<string, unknown>): Promise<NonNullable<HarnessConfig['hooks']>> {
    const path = typeof written === 'string' ? await this.#find('hooks', written, ['file', 'folder']) : undefined;
    const folder = path !== undefined && (await stat(path)).isDirectory() ? path : undefined;
    const value = await this.#data('hooks', typeof written === 'string' ? path : written, folder && 'hooks.json');
    const events = isRecord(value.hooks) ? value.hooks : value;
    const lists = Object.entries(events).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
    if (value !== unread && (lists.length === 0 || lists.length < Object.keys(events).length))
      this.#refuse('hooks', 'hooks must be lists by event, such as `PreToolUse: [ … ]`');
    if (folder === undefined && textsIn(events).some((text) => text.includes(scriptsPlace)))
      this.#refuse('hooks', `\`${scriptsPlace}\` needs \`hooks\` that are a folder with \`hooks.json\` and scripts`);
    return { events: Object.fromEntries(lists), ...(folder !== undefined && { folder }) };
  }

  async #settings(written: string | Record<string, unknown>): Promise<Record<string, unknown>> {
    const path = typeof written === 'string' ? await this.#find('settings', written, ['file']) : written;
    const value = await this.#data('settings', path);
    if ('hooks' in value) this.#refuse('settings', '`hooks` of settings belong under `hooks` of the harness');
    if (isRecord(value.permissions) && 'defaultMode' in value.permissions)
      this.#refuse('settings', '`permissions.defaultMode` of settings is `permission_mode` of the harness');
    return value;
  }

  /** Data as it is written, or of a file of JSON or YAML. */
  async #data(
    part: HarnessPart,
    place: string | Record<string, unknown> | undefined,
    inFolder = '',
  ): Promise<Record<string, unknown>> {
    if (isRecord(place)) return place;
    if (place === undefined) return unread;
    const { parse } = await import('yaml');
    const value = parsed(await textOf(join(place, inFolder)), parse);
    if (isRecord(value)) return value;
    this.#refuse(part, `\`${basename(join(place, inFolder))}\` is not a file with an object of JSON or YAML`);
    return unread;
  }
}

/** Stands for data that could not be read, which was reported. */
const unread: Record<string, unknown> = {};

function isFileName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function parsed(text: string | undefined, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return text === undefined ? undefined : parse(text);
  } catch {
    return undefined;
  }
}

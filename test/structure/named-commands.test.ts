import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { messagesIn } from '../../scripts/messages.mjs';
import { parserOf } from '../../src/entry/cli/command.ts';
import { families, shownCommands } from '../../src/entry/cli/commands/index.ts';
import { packageRoot } from '../../src/testing/support/plugin-project.ts';

/** A command line in a text: the words and flags after `assay`. */
interface NamedCommand {
  readonly place: string;
  readonly line: string;
}

/** Older names are explained to those who come from earlier systems, and in what changed. */
const mayUseOlderNames =
  /^(CHANGELOG\.md|docs\/coming-from\.md|docs\/reference\/cli\.md|docs\/explanation\/decisions\/)/;

const parsers: ReadonlyMap<string, Command> = new Map(
  await Promise.all(shownCommands.map(async (entry) => [entry.name, parserOf(entry, await entry.load())] as const)),
);

it.each([
  ['messages', () => messagesIn(packageRoot).map(({ path, line, text }) => linesInMessage(`${path}:${line}`, text))],
  ['documents', () => documents().map((path) => linesIn(path, readFileSync(join(packageRoot, path), 'utf8')))],
])('%s name commands and options that there are', (_what, lines) => {
  const named = lines().flat();
  expect(named.length).toBeGreaterThan(100);
  expect(
    named.flatMap(({ place, line }) => problemsOf(line).map((problem) => `${place}: assay ${line}: ${problem}`)),
  ).toEqual([]);
});

it.each([
  ['mcp-check -- node server.mjs', ['there is no command `mcp-check`']],
  ['list models --agnet x', ['`list models` has no option `--agnet`']],
  ['run --agent a --model=b scenarios', []],
  ['mcp check -- node --inspect server.mjs', []],
  ['cases', []],
])('a text that names `assay %s`', (line, problems) => {
  expect(problemsOf(line)).toEqual(problems);
});

function problemsOf(line: string): string[] {
  const [own = ''] = line.split(/ -- | \|| && | > |;/);
  const words = own.split(/\s+/).filter((word) => word !== '');
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((candidate) => parsers.has(candidate));
  const parser = parsers.get(name ?? '');
  if (!parser)
    return /^[a-z][a-z-]*$/.test(words[0] ?? '') && !Object.hasOwn(families, words[0] ?? '')
      ? [`there is no command \`${words[0]}\``]
      : [];
  const flags = words.flatMap((word) => /^(--[a-z][\w-]*|-[a-zA-Z]$)/.exec(word)?.[1] ?? []);
  const isKnown = (flag: string) =>
    /^(--help|--all|-h)$/.test(flag) || parser.options.some(({ long, short }) => flag === long || flag === short);
  return flags.filter((flag) => !isKnown(flag)).map((flag) => `\`${name}\` has no option \`${flag}\``);
}

/** What follows each `assay` in a sentence, until the next; what has control characters is not a sentence. */
function linesInMessage(place: string, text: string): NamedCommand[] {
  if (/\p{Cc}/u.test(text)) return [];
  return [
    ...text.matchAll(/(?<![\w/.-])assay ((?:[a-z-][^`]*?)(?=[`)]|[.,;:]\s|[.]?$| {2,}|(?<![\w/.-])assay ))/g),
  ].map(([, line = '']) => ({ place, line }));
}

/** What follows `assay` in back-ticks, and at the start of a line of a code block. */
function linesIn(place: string, text: string): NamedCommand[] {
  const whole = text.replaceAll('\\\n', ' ');
  const quoted = [...whole.matchAll(/`(?:npx )?assay ([^`\n]+)`/g)];
  const typed = [...whole.matchAll(/^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx |node \S*bin\/)?assay(?:\.js)? (.+)$/gm)];
  return [...quoted, ...typed].map(([, line = '']) => ({ place, line: line.trim() }));
}

function documents(): string[] {
  return ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'docs', 'examples', 'deploy']
    .flatMap((place) =>
      place.endsWith('.md')
        ? [place]
        : readdirSync(join(packageRoot, place), { recursive: true, encoding: 'utf8' }).map((name) => join(place, name)),
    )
    .filter(
      (path) =>
        /\.(md|ya?ml|sh|service)$/.test(path) &&
        !/node_modules|\.vitepress|\.assay/.test(path) &&
        !mayUseOlderNames.test(path),
    );
}

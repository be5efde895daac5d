import { readFileSync } from 'node:fs';
import { code, page, section, sentence, table } from './markdown.ts';

/** One finding on a real server, and the verdict of a person who looked at it. */
interface JudgedFinding {
  readonly rule: string;
  readonly severity: string;
  readonly tools: readonly string[];
  readonly message: string;
  readonly verdict: 'true' | 'noise' | null;
  readonly why: string | null;
}

/** The sets of servers that were held out, in the order in which they were looked at. */
const heldOut = ['first', 'second', 'third', 'fourth', 'fifth'] as const;
type HeldOut = (typeof heldOut)[number];

interface JudgedServer {
  readonly server: string;
  readonly version: string;
  /** The set of held-out servers that it belongs to; null for one that was looked at while rules were mended. */
  readonly set: HeldOut | null;
  /** Why it was not checked; absent for one that was. */
  readonly leftOut?: string;
  readonly protocol?: string;
  readonly sdk?: string | null;
  readonly called?: string;
  readonly notices?: number;
  readonly findings?: readonly JudgedFinding[];
}

interface FirstLook {
  readonly findings: number;
  readonly true: number;
  readonly mended: readonly string[];
}

interface JudgedRun {
  readonly date: string;
  /** Findings on each set that was held out, before causes were mended that they showed. */
  readonly firstLooks: Readonly<Record<HeldOut, FirstLook>>;
  readonly servers: readonly JudgedServer[];
}

/** The last run of `npm run mcp-precision`, judged by hand. */
export const judgedRun = JSON.parse(
  readFileSync(new URL('../../test/with-real-servers/precision/table.json', import.meta.url), 'utf8'),
) as JudgedRun;

/** The servers that were looked at while rules were mended, and the sets that were held out. */
export const sets: readonly (readonly [string, readonly JudgedServer[]])[] = [
  ['looked at while rules were mended', judgedRun.servers.filter(({ set }) => set === null)],
  ...heldOut.map((name) => [`${name} set held out`, judgedRun.servers.filter(({ set }) => set === name)] as const),
];

/** The share of findings that are true. */
export function precision(servers: readonly JudgedServer[]): number {
  const all = findingsOf(servers);
  return all.filter(({ verdict }) => verdict === 'true').length / all.length;
}

export function findingsOf(servers: readonly JudgedServer[]): JudgedFinding[] {
  return servers.flatMap(({ findings = [] }) => findings);
}

/** How often findings of `assay mcp check` on real servers are right. */
export function mcpPrecisionPage(): string {
  const checked = judgedRun.servers.filter(({ findings }) => findings !== undefined);
  const left = judgedRun.servers.filter(({ findings }) => findings === undefined);
  return page(
    'How often `assay mcp check` is right',
    `Until ${judgedRun.date}, ${checked.length} servers from npm were checked with default options, each in an empty folder, with dummy keys and without network. Each finding was judged by hand: it is _true_ if the author can and should mend it or if it is a hazard for clients, else _noise_. Notices are not findings: they do not fail a check. Five sets of servers were held out: their findings were not read while the rules were mended. The first is a third of the servers, by the hash of the name; each later one was chosen when the causes of noise in the ones before had been mended. The third, fourth and fifth are those of about 90 servers that could be installed, in the order of the hash of the name. The precision of a set is its first look, below; the table has what the program finds now.`,
    table(
      ['servers', 'number', 'findings', 'true', 'noise', 'precision'],
      sets.map(([title, servers]) => [
        title,
        String(checkedIn(servers)),
        ...figures(findingsOf(servers)),
        percent(precision(servers)),
      ]),
    ),
    ...heldOut.map(firstLookText),
    section(
      2,
      'Repeat it',
      '`npm run mcp-precision` installs the servers of `test/with-real-servers/precision/servers.json` into a cache, checks them and writes `table.json` beside it. Verdicts of findings that were there before are kept; new ones have none until `verdict` and `why` are filled in. `npm run docs:reference` writes this page.',
    ),
    section(2, 'By rule', byRule(checked)),
    section(2, 'By server', byServer(checked)),
    section(2, 'Noise, with the reason', noise(checked)),
    section(
      2,
      'Servers that did not start here',
      table(
        ['server', 'version', 'why'],
        left.map(({ server, version, leftOut = '' }) => [server, version, plain(leftOut)]),
      ),
    ),
  );
}

function firstLookText(set: HeldOut): string {
  const { findings, true: right, mended } = judgedRun.firstLooks[set];
  return `The first look at the ${set} set found ${right} of ${findings} findings true (${percent(right / findings)}).${mended.length === 0 ? '' : ` Then these causes of noise were mended, and the servers that showed them checked again: ${mended.join('; ')}.`}`;
}

function byServer(servers: readonly JudgedServer[]): string {
  return table(
    ['server', 'version', 'SDK', 'protocol', 'tools called', 'findings', 'true', 'noise', 'notices'],
    servers.map(({ server, version, sdk, protocol = '', called = '', notices = 0, findings = [] }) => [
      server,
      version,
      sdk?.replace('@modelcontextprotocol/', '') ?? '–',
      protocol,
      called,
      ...figures(findings),
      String(notices),
    ]),
  );
}

function noise(servers: readonly JudgedServer[]): string {
  return table(
    ['server', 'rule', 'finding', 'why it is noise'],
    servers.flatMap(({ server, findings = [] }) =>
      findings
        .filter(({ verdict }) => verdict === 'noise')
        .map(({ rule, tools, message, why }) => [
          server,
          code(rule),
          plain(`${tools.join(', ')}: ${message}`),
          sentence(why ?? ''),
        ]),
    ),
  );
}

function byRule(servers: readonly JudgedServer[]): string {
  const all = findingsOf(servers);
  const rules = [...new Set(all.map(({ rule }) => rule))].sort();
  const rows = rules.map((rule) => [code(rule), ...figures(all.filter((finding) => finding.rule === rule))]);
  return table(['rule', 'findings', 'true', 'noise'], rows);
}

function figures(findings: readonly JudgedFinding[]): string[] {
  const count = (verdict: string): string => String(findings.filter((finding) => finding.verdict === verdict).length);
  return [String(findings.length), count('true'), count('noise')];
}

function checkedIn(servers: readonly JudgedServer[]): number {
  return servers.filter(({ findings }) => findings !== undefined).length;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Words of servers are not Markdown. */
function plain(text: string): string {
  return text.replace(/[<>[\]{}_*`#]/g, (character) => (character === '`' ? "'" : `\\${character}`));
}

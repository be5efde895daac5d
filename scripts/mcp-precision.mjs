import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CachedPackage, cacheFolder } from './cached-packages.mjs';
import { build, install, root } from './steps.mjs';

/**
 * `npm run mcp-precision [-- name …]`: runs `assay mcp check` on servers from npm, each in an empty folder with its
 * default arguments, and puts the findings into the table of `test/with-real-servers/precision`. Verdicts of findings
 * that are in the table already are kept; new findings have none until they are judged by hand. Without
 * `--no-check` it installs and checks; with it, only the reports of an earlier run are read.
 */
const folder = join(root, 'test', 'with-real-servers', 'precision');
const tableFile = join(folder, 'table.json');
const cache = process.env.ASSAY_SERVERS_CACHE ?? join(cacheFolder(), 'assay-servers');
const reports = join(cache, 'mcp-check-reports');
const limitMs = 240_000;
const longestMessage = 240;

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const servers = JSON.parse(readFileSync(join(folder, 'servers.json'), 'utf8'));
const table = existsSync(tableFile) ? JSON.parse(readFileSync(tableFile, 'utf8')) : { servers: [] };

mkdirSync(reports, { recursive: true });
const chosen = servers.filter(({ package: name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (!args.includes('--no-check')) await checkAll(chosen);
table.date = new Date().toISOString().slice(0, 10);
table.servers = servers.map((server) =>
  row(
    server,
    table.servers.find(({ server: name }) => name === server.package),
  ),
);
writeFileSync(tableFile, `${JSON.stringify(table, null, 1)}\n`);
summarise(table.servers);

async function checkAll(all) {
  if (!args.includes('--no-build')) {
    install();
    build();
  }
  const waiting = [...all];
  const work = async () => {
    for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) await check(server);
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
}

/** Installs a server and checks it within a time limit; the report, or why there is none, is kept in a file. */
async function check(server) {
  const { package: name, version, bin, args: given = [], env = {} } = server;
  const spec = { name: nameOf(name), version, packages: { [name]: version }, ignoresScripts: true, installMs: 120_000 };
  const cached = new CachedPackage('assay-servers', spec, process.env.ASSAY_SERVERS_CACHE);
  const leftOut = cached.leftOutBecause();
  if (leftOut !== undefined) return keep(server, { leftOut });
  const work = join(reports, 'work', spec.name);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const filled = (text) => text.replaceAll('${WORK}', work);
  const program = join(cached.folder, 'node_modules', name, binOf(join(cached.folder, 'node_modules', name), bin));
  const variables = {
    PATH: process.env.PATH,
    HOME: work,
    TMPDIR: work,
    ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)])),
  };
  const command = [
    join(root, 'bin', 'assay.js'),
    'mcp-check',
    '--json',
    '--',
    process.execPath,
    program,
    ...given.map(filled),
  ];
  const { stdout, stderr, ending } = await output(command, { cwd: work, env: variables });
  try {
    const report = JSON.parse(stdout.replaceAll(cached.folder, '<package>').replaceAll(work, '<work>'));
    keep(server, { report });
  } catch {
    keep(server, { leftOut: `${ending}: ${stderr.trim().split('\n').at(-1) ?? ''}` });
  }
  console.log(`${name}: ${ending}`);
}

function output(command, options) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'])
      child[stream].setEncoding('utf8').on('data', (text) => {
        texts[stream] += text;
      });
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const ending = signal === 'SIGKILL' ? `not ended within ${limitMs / 1_000} s` : `exit code ${code}`;
      resolve({ ...texts, ending });
    });
  });
}

function keep({ package: name, version }, result) {
  writeFileSync(reportFile(name), `${JSON.stringify({ name, version, ...result }, null, 1)}\n`);
}

function reportFile(name) {
  return join(reports, `${nameOf(name)}.json`);
}

function nameOf(name) {
  return name.replace(/^@/, '').replaceAll('/', '-');
}

/** The program of a package: the one named, or its only one. */
function binOf(packageFolder, named) {
  const { bin } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  return typeof bin === 'string' ? bin : (bin[named] ?? Object.values(bin)[0]);
}

/** The row of a server: what its last report found, with the verdicts that findings of the same kind had before. */
function row({ package: name, version, set }, before) {
  const file = reportFile(name);
  const facts = { server: name, version, set: set ?? (isHeldOut(name) ? 'first' : null) };
  if (!existsSync(file)) return before ? { ...before, ...facts } : { ...facts, leftOut: 'not run' };
  const { report, leftOut } = JSON.parse(readFileSync(file, 'utf8'));
  if (report === undefined) return { ...facts, leftOut: shortened(leftOut) };
  if (report.server.protocolVersion === '') return { ...facts, leftOut: shortened(report.incomplete ?? 'not opened') };
  const verdicts = new Map((before?.findings ?? []).map((finding) => [keyOf(finding), finding]));
  return {
    ...facts,
    protocol: report.server.protocolVersion,
    sdk: report.server.sdk ?? null,
    called: `${report.coverage.called} of ${report.coverage.total}`,
    notices: report.totals.notice,
    findings: report.problems
      .filter(({ severity }) => severity !== 'notice')
      .map(({ id, severity, tools, place, message }) => {
        const finding = {
          rule: id,
          severity,
          tools: tools.length > 3 ? [...tools.slice(0, 2), `and ${tools.length - 2} more`] : tools,
          place,
          message: shortened(message),
        };
        const { verdict = null, why = null } = verdicts.get(keyOf(finding)) ?? {};
        return { ...finding, verdict, why };
      }),
  };
}

function keyOf({ rule, tools, place, message }) {
  return JSON.stringify([rule, tools, place, place === null ? message.replace(/\d+/g, '0').slice(0, 80) : '']);
}

function shortened(text) {
  const line = text
    .replaceAll(process.execPath, 'node')
    .replaceAll(cache, '<cache>')
    .replace(/The MCP server "[^"]*"/, 'It')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
}

/** The first set held out, a third of the servers by the hash of the name; later sets are named in `servers.json`. */
function isHeldOut(name) {
  return Number.parseInt(createHash('sha256').update(name).digest('hex').slice(0, 8), 16) % 3 === 0;
}

function summarise(rows) {
  for (const wanted of [null, ...new Set(rows.flatMap(({ set }) => set ?? []))]) {
    const title = wanted === null ? 'looked at' : `${wanted} set held out`;
    const some = rows.filter(({ set }) => set === wanted);
    const findings = some.flatMap((one) => one.findings ?? []);
    const count = (verdict) => findings.filter((finding) => finding.verdict === verdict).length;
    console.log(
      `${title}: ${some.filter(({ findings }) => findings).length} of ${some.length} servers, ${findings.length} findings, ${count('true')} true, ${count('noise')} noise, ${count(null)} not judged`,
    );
  }
}

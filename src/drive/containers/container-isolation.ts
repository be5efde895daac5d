import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AssayError } from '../../domain/errors.ts';
import { isInSystem } from '../workspace/bubblewrap-mounts.ts';
import type { EncloseRequest, Enclosure, Isolation } from '../workspace/isolation.ts';
import { containerMounts, gateInContainer } from './container-mounts.ts';
import { type ContainerEngine, lastLine, unavailable } from './engine.ts';

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const startTimeoutMs = 60_000;
const pollMs = 10;

/**
 * The first process of a container. It waits for a line from Assay, and ends everything when Assay has ended. The rest
 * is that of the other tiers: the agent runs in the foreground, and has some time to end by itself.
 */
const initScript = `
stopping=
trap stopping=1 TERM
exec 8<"$1"
shift
read -r _ <&8 || exit 125
(read -r _ <&8; kill -KILL -1) 2>/dev/null &
lifeline=$!
exec 9>&2 2>/dev/null
(exec 2>&9 9>&- 8<&-; exec "$@")
code=$?
kill -KILL $lifeline
for _ in \${stopping:+1 2 3 4 5 6 7 8 9 10 11 12 13 14}; do
  set -- /proc/[0-9]*
  [ $# -gt 1 ] && sleep 0.05
done
exit $code
`;

/** An image that trials run in. */
interface ContainerImage {
  readonly name: string;
  /** PATH of the image. */
  readonly path: string;
}

/** Trials in containers of one image; throws where the image cannot be run. */
export async function containerIsolation(engine: ContainerEngine, image: string): Promise<Isolation> {
  const { exitCode, stdout, stderr } = await engine.run([
    'image',
    'inspect',
    image,
    '--format',
    '{{json .Config.Env}}',
  ]);
  if (exitCode !== 0) {
    throw unavailable(`The image ${image} is not on this machine: ${lastLine(stderr)}`, 'Pull or build it first.');
  }
  const variables = (JSON.parse(stdout || '[]') ?? []) as string[];
  const path = variables.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? usualPath;
  const located = new Map<string, Promise<string>>();
  return {
    tier: 'container',
    isNamespaced: true,
    canCover: false,
    wrap: (argv) => argv,
    enclose: (request) => enclose(engine, { name: image, path }, request),
    locate: (program) => {
      const found = located.get(program) ?? locate(engine, image, program);
      located.set(program, found);
      return found;
    },
  };
}

/** Finds a program on PATH; `command -v` would name a builtin of the shell instead. */
const locateScript = `
case $1 in /*) [ -x "$1" ] && echo "$1"; exit;; esac
IFS=:
for folder in $PATH; do [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && echo "$folder/$1" && exit; done
exit 1`;

/** Absolute path of a program in an image. */
async function locate(engine: ContainerEngine, image: string, program: string): Promise<string> {
  const command = ['/bin/sh', '-c', locateScript, 'sh', program];
  const options = ['--rm', '--network', 'none', '--label', engine.label, ...limits()];
  const { exitCode, stdout, stderr } = await engine.run(['run', ...options, image, ...command], startTimeoutMs);
  if (exitCode === 0 && isAbsolute(stdout)) return stdout;
  if (exitCode === 127 || exitCode === 1) {
    throw new AssayError('TARGET_NOT_LOADED', `There is no program \`${program}\` in the image ${image}.`);
  }
  throw unavailable(`A container of ${image} could not be started: ${lastLine(stderr)}`);
}

function enclose(engine: ContainerEngine, image: ContainerImage, request: EncloseRequest): Enclosure {
  const { argv, env, folders, hasOwnNetwork } = request;
  const name = `assay-${randomUUID()}`;
  const control = mkdtempSync(join(tmpdir(), 'assay-container-'));
  const gate = join(control, 'gate');
  const pidFile = join(control, 'pid');
  execFileSync('mkfifo', ['-m', '600', gate]);
  // Open in both directions, so opening it does not wait for a reader, and the container notices when it is gone.
  const opened = openSync(gate, 'r+');
  const variables = { ...env, PATH: pathIn(env.PATH ?? '', image.path) };
  const [program, ...options] = [
    ...engine.command,
    ...['run', '--rm', '-i', '--name', name, '--label', engine.label, '--workdir', folders.directory],
    ...['--network', hasOwnNetwork ? 'none' : 'host', '--security-opt', 'no-new-privileges'],
    ...(engine.isPodman ? ['--pidfile', pidFile] : []),
    ...limits(),
    ...userOptions(engine),
    ...containerMounts(folders, gate),
    ...variableOptions(variables, engine.env),
    ...['--entrypoint', '/bin/sh', image.name],
  ] as [string, ...string[]];
  return {
    argv: [program, ...options, '-c', initScript, 'sh', gateInContainer, ...argv],
    // Values stay out of the command line, which every user of the machine can read.
    env: { ...variables, ...setOnly(engine.env) },
    pid: () => (engine.isPodman ? pidIn(pidFile) : inspectedPid(engine, name)),
    release: () => void writeSync(opened, '\n'),
    async end() {
      closeSync(opened);
      await engine.run(['rm', '-f', ...(engine.isPodman ? ['-t', '0', '--ignore'] : []), name]);
      rmSync(control, { recursive: true, force: true });
    },
  };
}

function setOnly(env: ContainerEngine['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Variables by name, except for those that the engine itself needs with other values. */
function variableOptions(variables: Readonly<Record<string, string>>, ofEngine: ContainerEngine['env']): string[] {
  return Object.entries(variables).flatMap(([name, value]) => [
    '--env',
    ofEngine[name] === undefined ? name : `${name}=${value}`,
  ]);
}

/** Folders of the host that the container has too, and then those of the image. */
function pathIn(ofTrial: string, ofImage: string): string {
  const mounted = ofTrial.split(delimiter).filter((folder) => isAbsolute(folder) && !isInSystem(folder));
  return [...mounted, ofImage].join(delimiter);
}

/** Files that the agent makes belong to the user who runs Assay. */
function userOptions(engine: ContainerEngine): string[] {
  const id = process.geteuid?.() ?? 0;
  if (id === 0) return [];
  return engine.isPodman ? ['--userns', 'keep-id'] : ['--user', `${id}:${process.getegid?.() ?? id}`];
}

/** More files and processes than an agent needs, and few enough for engines that must not raise limits. */
const mostOpen = 16_384;

/** Limits within those of this process: engines set higher ones by default, which not every machine allows. */
function limits(): string[] {
  const text = readFileSync('/proc/self/limits', 'utf8');
  return Object.entries({ nofile: 'Max open files', nproc: 'Max processes' }).flatMap(([option, name]) => {
    const own = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1];
    const most = Math.min(Number(own ?? mostOpen), mostOpen);
    return ['--ulimit', `${option}=${most}:${most}`];
  });
}

async function pidIn(file: string): Promise<number> {
  return waitFor(() => {
    try {
      return Number(readFileSync(file, 'utf8'));
    } catch {
      return 0;
    }
  });
}

async function inspectedPid(engine: ContainerEngine, name: string): Promise<number> {
  return waitFor(async () => Number((await engine.run(['inspect', '--format', '{{.State.Pid}}', name])).stdout));
}

async function waitFor(look: () => number | Promise<number>): Promise<number> {
  for (const end = Date.now() + startTimeoutMs; Date.now() < end; ) {
    const pid = await look();
    if (pid > 0) return pid;
    await delay(pollMs);
  }
  throw unavailable('The container of the trial did not start in time.');
}

import { constants } from 'node:os';
import type { AssayError } from '../../domain/errors.ts';
import type { IsolationTier } from '../../domain/isolation-tier.ts';
import { bubblewrapMounts, mountPointsIn, removeMountPoints } from './bubblewrap-mounts.ts';
import { heldPipes } from './held-process.ts';
import type { IsolatedFolders } from './isolated-folders.ts';
import { boundingSet, capabilityOptions, kernelSettingMounts } from './privileges.ts';
import type { ServiceSpec } from './service-spec.ts';
import { socketPlaces } from './socket-places.ts';

type Argv = readonly [string, ...string[]];

/** A way to keep an agent apart from the rest of the machine. */
export interface Isolation {
  readonly tier: IsolationTier;
  /** Whether everything that the agent starts lives in a process namespace, and ends with it. */
  readonly isNamespaced: boolean;
  /** Whether files can be covered by others. */
  readonly canCover: boolean;
  /** The command that runs the given one in isolation; its exit code is that of the given one, see `exitOf`. */
  wrap(argv: Argv, folders: IsolatedFolders): Argv;
  /** How a process of the agent starts with its own network; undefined where the tier cannot give it one. */
  readonly wrapOffline?: (argv: Argv, folders: IsolatedFolders) => Argv;
  /** The same for a process that nothing is to reach and that reaches nothing. */
  readonly wrapAlone?: (argv: Argv, folders: IsolatedFolders) => Argv;
  /** To be called when the agent has ended: removes what the isolation itself left in the trial's folders. */
  tidy?(folders: IsolatedFolders): void;
  /** Opens the separate system of a trial, in a tier whose agents have other programs than this machine. */
  readonly openSystem?: (request: SystemRequest) => Promise<TrialSystem>;
}

/** Parts of the system of a trial. */
export interface SystemRequest {
  readonly folders: IsolatedFolders;
  readonly hasOwnNetwork: boolean;
  /** Where commands start instead of the work directory: in the folder that the image names, or at a path. */
  readonly imageFolder: boolean | string;
  /** Most processors and megabytes of memory; undefined: those of the machine. */
  readonly cpus?: number | undefined;
  readonly memoryMb?: number | undefined;
  /** Containers that are to be ready before it, in a network with it. */
  readonly services?: readonly ServiceSpec[] | undefined;
}

/** The separate system of one trial: its scripts, its agent and its gates run in it. */
export interface TrialSystem extends AsyncDisposable {
  /** The id of its first process on this machine, by which its network is found. */
  readonly pid: number;
  /**
   * How a command with its environment is started in the system, and reads a text; without one, its standard input stays
   * open.
   */
  enter(argv: Argv, env: Readonly<Record<string, string>>, input?: string): SystemEntry;
  /** Absolute path of a program in it; throws where there is none. */
  locate(program: string): Promise<string>;
  /** Ends every process in it; throws where one is left. */
  endProcesses(): Promise<void>;
  /** Names of the containers in a network with it. */
  readonly services: readonly string[];
  /** The error of a trial one of whose services has ended; undefined where all still run. */
  serviceFault(): Promise<AssayError | undefined>;
  /** Writes what is at a path in it, or in a service, to a tar archive; false where nothing is there. */
  copyOut(path: string, file: string, service?: string): Promise<boolean>;
  /** Lays the content of a tar archive or a folder into a folder of it, which is made where it is missing. */
  copyIn(from: string, folder: string): Promise<void>;
  /** Runs a shell command in a service; gives the reason where it failed. */
  runInService(service: string, command: string, timeoutMs: number): Promise<string | undefined>;
  /** The folder in which commands start. */
  folder(): Promise<string>;
  /** Ends it, and leaves its services. */
  stop(): Promise<void>;
}

/** A command of this machine that runs another one in a system. */
export interface SystemEntry {
  readonly argv: Argv;
  readonly env: Readonly<Record<string, string>>;
}

/** Only its own work directory, HOME and environment. */
export const noIsolation: Isolation = { tier: 'none', isNamespaced: false, canCover: false, wrap: (argv) => argv };

/**
 * The first process of a namespace, which takes the rest with it when it ends. It runs the agent in the foreground, so
 * standard streams and signals reach the agent untouched, and keeps its own messages about a crash out of stderr. After
 * SIGTERM, the processes that the agent started get some time to end by themselves, a little less than it takes until
 * everything is ended from outside: then the exit of the agent would be lost.
 */
const initScript = `
stopping=
trap stopping=1 TERM
exec 9>&2 2>/dev/null
(exec 2>&9 9>&-; exec "$@")
code=$?
for _ in \${stopping:+1 2 3 4 5 6 7 8 9 10 11 12 13 14}; do
  set -- /proc/[0-9]*
  [ $# -gt 1 ] && sleep 0.05
done
exit $code
`;

/** The command that is to be the first process of a namespace. */
function initOf(argv: Argv): Argv {
  return ['/bin/sh', '-c', initScript, 'sh', ...argv];
}

/** A shell reports the signal that ended a command as an exit code above this. */
const signalBase = 128;

/** Signals that end no process unless it wants it: an exit code that looks like one of them is an exit code. */
const harmlessSignals: ReadonlySet<string> = new Set([
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGWINCH',
]);

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * How the agent ended, from how the first process of its namespace did. An agent that exits with 128 and the number
 * of a deadly signal, as shells do, is taken to have been ended by that signal: the two look the same from here.
 */
export function exitOf({ exitCode, signal }: Exit): Exit {
  if (exitCode === null || exitCode <= signalBase) return { exitCode, signal };
  const name = signalName(exitCode - signalBase);
  if (name === undefined || harmlessSignals.has(name)) return { exitCode, signal };
  return { exitCode: null, signal: name };
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/**
 * The machine read-only except for hidden places, the trial's folders writable, its own processes and /tmp; the network
 * is kept.
 */
export function bubblewrapIsolation(bwrap: string, isRoot = process.geteuid?.() === 0): Isolation {
  const kernel = isRoot ? kernelSettingMounts() : [];
  const mountPoints = new WeakMap<IsolatedFolders, Set<string>>();
  const wrap = (argv: Argv, folders: IsolatedFolders, hidden = folders.hidden): Argv => {
    const mounts = bubblewrapMounts({ ...folders, ...(hidden && { hidden }) });
    mountPoints.set(folders, new Set([...(mountPoints.get(folders) ?? []), ...mountPointsIn(mounts)]));
    return [
      bwrap,
      ...mounts,
      ...kernel,
      ...namespaces,
      ...lifetime,
      ...capabilityOptions(isRoot),
      '--',
      ...initOf(argv),
    ];
  };
  const alone = (argv: Argv, folders: IsolatedFolders, network: readonly string[]): Argv => {
    const [program, ...rest] = wrap(argv, folders, [...(folders.hidden ?? []), ...socketPlaces()]);
    return [program, ...network, ...rest];
  };
  return {
    tier: 'bubblewrap',
    isNamespaced: true,
    canCover: true,
    wrap: (argv, folders) => wrap(argv, folders),
    wrapOffline: (argv, folders) => alone(argv, folders, [...noNetwork, ...held]),
    wrapAlone: (argv, folders) => alone(argv, folders, noNetwork),
    tidy: (folders) => removeMountPoints(folders.tmp, mountPoints.get(folders) ?? []),
  };
}

const noNetwork = ['--unshare-net'];
/** The agent waits until its network is ready; see `heldProcess`. */
const held = ['--info-fd', String(heldPipes.info), '--block-fd', String(heldPipes.release)];

/** Shared memory and queues would outlive the trial, and other trials could read them. */
const namespaces = ['--unshare-pid', '--unshare-ipc'];
const lifetime = ['--as-pid-1', '--die-with-parent'];

/** The program makes the namespace; without root it takes a user namespace to be allowed to. */
const asRoot: readonly string[] = [];
const asUser: readonly string[] = ['--user', '--map-current-user'];

interface ProcessIsolationPrograms {
  readonly unshare: string;
  /** Lets the namespace end with this program even if that is killed; undefined where it is missing. */
  readonly setpriv: string | undefined;
}

/** Ways to give an agent its own process namespace with its own /proc, the best first. */
export function processIsolations({ unshare, setpriv }: ProcessIsolationPrograms, isRoot: boolean): Isolation[] {
  const namespaces = isRoot ? [asRoot, asUser] : [asUser];
  const plain = namespaces.map((namespace) => isolationBy([unshare, ...namespace]));
  if (setpriv === undefined) return plain;
  const mortal = [setpriv, '--pdeathsig', 'KILL', unshare];
  return [
    ...namespaces.map((namespace) => coveringIsolation([...mortal, ...namespace], setpriv, namespace)),
    ...namespaces.map((namespace) => isolationBy([...mortal, ...namespace])),
    ...plain,
  ];
}

const processNamespace = ['--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];

function isolationBy(start: readonly string[]): Isolation {
  const [program = '', ...options] = [...start, ...processNamespace, '--'];
  const wrap = (argv: Argv): Argv => [program, ...options, ...initOf(argv)];
  return { tier: 'process', isNamespaced: true, canCover: false, wrap };
}

/** Covers files and then becomes a command that can no longer take the covers away. */
const coverScript = `
while [ "$1" != -- ]; do
  mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" || exit 1
  shift 2
done
shift
exec "$@"
`;

function coveringIsolation(start: readonly string[], setpriv: string, namespace: readonly string[]): Isolation {
  const keepsUser = namespace === asUser;
  const [program = '', ...options] = [...start, ...processNamespace, ...(keepsUser ? ['--keep-caps'] : []), '--'];
  const drop = keepsUser ? ['--ambient-caps', '-all', '--inh-caps', '-all'] : ['--bounding-set', boundingSet];
  const wrap = (argv: Argv, { covered = [] }: IsolatedFolders): Argv => {
    const files = covered.flatMap(({ path, by }) => [by, path]);
    const covering = ['/bin/sh', '-c', coverScript, 'sh', ...files, '--'];
    return [program, ...options, ...covering, setpriv, ...drop, '--', ...initOf(argv)];
  };
  return { tier: 'process', isNamespaced: true, canCover: true, wrap };
}

/** How the shim starts the real program. */
export type ProgramStart =
  /** By its path, where nothing lies over it. */
  | { readonly by: 'path' }
  /** By a descriptor that the call server hands out, because the shim lies over its path. */
  | { readonly by: 'descriptor' }
  /** By the interpreter of a script, which reads the script at the path that was called. */
  | { readonly by: 'interpreter'; readonly interpreter: string; readonly hasArgument: boolean };

/** Settings that are written into a shim, because the caller may change or clear the environment. */
export interface ShimSettings {
  /** Absolute path of the shim itself. */
  readonly path: string;
  /** Absolute paths under which the tool is called when it is found on PATH, for a shim that does not know its name. */
  readonly paths: readonly string[];
  /** Name under which the tool is called. */
  readonly name: string;
  /** Absolute path of the real program. */
  readonly program: string;
  readonly start: ProgramStart;
  /** Absolute path of the socket or the folder that calls are reported to. */
  readonly channel: string;
}

/** A kind of shim that works on this machine. */
export interface Shim {
  /** Message about its limitations; undefined for one that records everything. */
  readonly limits: string | undefined;
  /** How calls are reported; undefined: by files in a folder. */
  readonly server: CallServerNeeds | undefined;
  /** A program that starts the shim at a path with the name it was called by; undefined: a first line of a script does. */
  readonly starter: ((shim: string) => Buffer) | undefined;
  /** Absolute paths of programs that it needs, which therefore cannot be covered by it. */
  readonly needs: readonly string[];
  /** The text of the executable. */
  render(settings: ShimSettings): string;
}

/** Programs and facts that the server of the calls needs to run and to look at its callers. */
export interface CallServerNeeds {
  readonly perl: string;
  /** Number of the system call `sendmsg`; undefined where descriptors cannot be handed out. */
  readonly sendmsg: number | undefined;
  /** Whether callers can be identified through the kernel and /proc. */
  readonly checksCallers: boolean;
}

/**
 * Variable that shows the shim who calls the tool, where the kernel does not: every process that the tool starts
 * inherits the value.
 */
export const callerVariable = 'ASSAY_RECORDER';
export const calledByAgent = 'agent';
export const calledByTool = 'tool';

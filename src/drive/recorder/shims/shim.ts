/** What a shim has to know; it is written into the shim, because the caller may change or clear the environment. */
export interface ShimSettings {
  /** Absolute path of the shim itself. */
  readonly path: string;
  /** Name under which the tool is called. */
  readonly name: string;
  /** Absolute path of the real program. */
  readonly program: string;
  /** Absolute path of the folder that calls are written to. */
  readonly callsFolder: string;
}

/** A kind of shim that works on this machine. */
export interface Shim {
  /** What it cannot do, in words; undefined for one that tells everything. */
  readonly limits: string | undefined;
  /** The text of the executable. */
  render(settings: ShimSettings): string;
}

/** Tells the shim who calls the tool: the value below is inherited by all that the tool starts. */
export const callerVariable = 'ASSAY_RECORDER';
export const calledByAgent = 'agent';
export const calledByTool = 'tool';

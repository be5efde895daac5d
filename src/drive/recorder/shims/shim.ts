/** Settings that are written into a shim, because the caller may change or clear the environment. */
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
  /** Message about its limitations; undefined for one that records everything. */
  readonly limits: string | undefined;
  /** The text of the executable. */
  render(settings: ShimSettings): string;
}

/** Variable that shows the shim who calls the tool: every process that the tool starts inherits the value. */
export const callerVariable = 'ASSAY_RECORDER';
export const calledByAgent = 'agent';
export const calledByTool = 'tool';

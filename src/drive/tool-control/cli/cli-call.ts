/** A call of a program, as its stand-in reports it. */
export interface CliCall {
  /** Name of the program. */
  readonly tool: string;
  /** Without the name of the program. */
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Whether stdout and stderr go to one place. */
  readonly isMerged: boolean;
  /** Identities of the files that they go to. */
  readonly outputFiles: readonly string[];
  /** Whether the arguments are exactly these, because all of them are UTF-8. */
  readonly isText: boolean;
}

/** The beginning of the standard input of a call. */
export interface CliInput {
  readonly bytes: Buffer;
  /** Whether it is all of it. */
  readonly ended: boolean;
  /** Whether nothing came within the time that was given. */
  readonly isIdle?: boolean;
}

/** Bytes that are to be read, from the beginning. */
export interface InputRequest {
  readonly bytes: number;
  /** How long to wait for each piece; as long as it takes without it. */
  readonly patienceSecs?: number;
}

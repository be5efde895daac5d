/** A process as others can find it again. */
export interface ProcessIdentity {
  /** For people. */
  readonly host: string;
  /** Where its pid means something: one boot of one machine, and one namespace of pids. */
  readonly machine: string;
  readonly pid: number;
  /** When it started, in the kernel's own count, so a reused pid is noticed; null where that is not known. */
  readonly processStart: string | null;
}

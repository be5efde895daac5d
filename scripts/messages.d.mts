/** A text that users can read. */
export interface Message {
  readonly path: string;
  readonly line: number;
  /** Its syntactic place: `error`, `cause`, `help`, `describe`, `page`, `text`, or a property such as `hint`. */
  readonly kind: string;
  /** One line; a value is written as `{name}`. */
  readonly text: string;
}

export declare function messagesIn(root: string): Message[];

export declare function messagesOf(source: string, path: string): Message[];

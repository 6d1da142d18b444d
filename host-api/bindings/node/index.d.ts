/// <reference types="node" />
import { EventEmitter } from 'node:events';

export interface Tool {
  id: string;
  title: string;
  version: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Empty: the tool declares none. */
  outputSchema: Record<string, unknown>;
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  openWorld: boolean;
}

export type Stream = 'stdout' | 'stderr';

export interface CallOptions {
  /** Seconds after which the call is ended, whatever the tool's own timeout. */
  deadline?: number;
  /** Aborting it cancels the call. The promise is rejected with an AbortError when no process of the call is left. */
  signal?: AbortSignal;
  /** Called while the command runs. An exception in it stops the call and rejects the promise. */
  onOutput?: (stream: Stream, bytes: Buffer) => void;
}

export interface RunOptions extends CallOptions {
  /** Seconds. */
  timeout?: number;
  cwd?: string;
  /** Added to the environment. */
  env?: Record<string, string>;
  /** The command's standard input. */
  input?: string;
  /** Reject with a CommandError if the result is an error. */
  check?: boolean;
}

/** The answer of a tool. docs/guide/results.md lists the keys of metadata and the error codes. */
export class Result {
  private constructor();
  readonly isError: boolean;
  readonly content: Array<{ type: string; text?: string }>;
  readonly metadata: Record<string, unknown>;
  readonly cancelled: boolean;
  readonly text: string;
  /** The output, or what came before the command was ended; at most output.bytes of it, see truncated. */
  readonly stdout: string;
  readonly stderr: string;
  /** True if stdout or stderr was longer than output.bytes of the configuration, and a line in it says how much was left out. */
  readonly truncated: boolean;
  /** null if the command did not end by itself, or did not run. */
  readonly exitCode: number | null;
  /** Such as 'exit_nonzero' or 'timed_out'; null if isError is false. */
  readonly errorCode: string | null;
  readonly message: string;
  readonly hint: string;
  /** Returns this result. Throws a CommandError if the result is an error. */
  check(): Result;
}

export class PluginError extends Error {}

export class CommandError extends Error {
  readonly result: Result;
}

/** One call: emits 'stdout' and 'stderr' with a Buffer while it runs. */
export class Call extends EventEmitter {
  private constructor();
  readonly result: Promise<Result>;
  /** Asks the call to stop: with SIGTERM first, or `now`. The promise is settled when the call has ended. */
  cancel(reason?: string, options?: { now?: boolean }): void;
  on(event: Stream, listener: (bytes: Buffer) => void): this;
}

export class Plugin {
  constructor(options?: { path?: string; config?: Record<string, unknown> });
  readonly path: string;
  readonly tools: Record<string, Tool>;
  readonly closed: boolean;
  run(command: string, options?: RunOptions): Promise<Result>;
  call(tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Result>;
  start(tool: string, args?: Record<string, unknown>, options?: Omit<CallOptions, 'onOutput'>): Call;
  close(): Promise<void>;
}

export function defaultPlugin(): Plugin;
export function findPlugin(): string;
export function run(command: string, options?: RunOptions): Promise<Result>;

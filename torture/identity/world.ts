import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Random } from '../../test/support/random.ts';
import {
  makeFolder,
  runCli,
  type CliResult,
  type Folder,
  type Service,
} from '../../test/support/process/process.ts';
import { hashesOf } from '../../test/support/file-hashes.ts';
import type { StoreModel } from './model.ts';

/** Something that must not be. It ends the sequence: the model no longer knows what the world is like. */
export class Fault extends Error {}

/** A service that runs. */
export interface Serving {
  service: Service;
  /** What it was told to serve. */
  name: string;
  /** Where that led when it started. */
  store: StoreModel;
  workers: number;
}

interface RunOptions {
  /** Changes nothing when it succeeds. */
  looksOnly?: boolean;
  /** But for this file. */
  makes?: string;
  /** What is there even when it fails. */
  leaves?: string;
}

/** Names that lead to a store, or could: two are files, one is below a folder link, two are links. */
export const fixedNames = ['a/store.db', 'b/store.db', 'current/store.db', 'link.db', 'second.db'];

export const sideFiles = ['', '-wal', '-shm'];

/** A folder with a few stores, links, backups and hand copies, and what is known of them. */
export class World implements AsyncDisposable {
  readonly random: Random;
  readonly program: string | undefined;
  readonly stores = new Set<StoreModel>();
  readonly backups = new Set<StoreModel>();
  readonly services = new Set<Serving>();
  readonly #folder: Folder = makeFolder();
  readonly #counts: Map<string, number>;
  #made = 0;

  constructor(random: Random, program: string | undefined, counts: Map<string, number>) {
    this.random = random;
    this.program = program;
    this.#counts = counts;
    for (const name of ['a', 'b', 'backups', 'copies']) mkdirSync(this.pathOf(name));
    symlinkSync('a', this.pathOf('current'));
    symlinkSync('b/store.db', this.pathOf('link.db'));
    symlinkSync('link.db', this.pathOf('second.db'));
  }

  pathOf(name: string): string {
    return join(this.#folder.path, name);
  }

  /** A number that no other thing of this world has. */
  nextNumber(): number {
    return ++this.#made;
  }

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  countSlowest(what: string, value: number): void {
    this.#counts.set(what, Math.max(this.#counts.get(what) ?? 0, value));
  }

  /** True so often. */
  chance(share: number): boolean {
    return this.random.next() < share;
  }

  /** Where a name leads now; undefined when there is no file. */
  follow(name: string): string | undefined {
    try {
      return realpathSync(this.pathOf(name));
    } catch {
      return undefined;
    }
  }

  storeOf(name: string): StoreModel | undefined {
    const path = this.follow(name);
    return [...this.stores].find((store) => store.path === path);
  }

  names(): string[] {
    return [...fixedNames, ...[...this.stores].map(({ path }) => relative(this.#folder.path, path))];
  }

  /** Some name of a store, by which an operator may call it. */
  nameOf(store: StoreModel): string {
    return this.random.pick(this.names().filter((name) => this.storeOf(name) === store));
  }

  isServed(store: StoreModel | undefined): boolean {
    return [...this.services].some((serving) => serving.store === store);
  }

  /** Stores that nobody uses. */
  stopped(): StoreModel[] {
    return [...this.stores].filter((store) => !this.isServed(store));
  }

  isInPlace({ name, store }: Serving): boolean {
    return this.follow(name) === store.path;
  }

  /** Of everything but the stores in use, which their services write to. */
  hashes(): Record<string, string> {
    const served = [...this.services].flatMap(({ store }) => sideFiles.map((suffix) => store.path + suffix));
    return Object.fromEntries(
      Object.entries(hashesOf(this.#folder.path)).filter(
        // What is below a folder link is listed under its own folder as well.
        ([name]) => !name.startsWith('current/') && !served.includes(this.pathOf(name)),
      ),
    );
  }

  /**
   * Runs a command. One that fails says why in one line and has changed nothing; one that only looks has changed
   * nothing either but the files that it was told to make.
   */
  async run(args: string[], options: RunOptions = {}): Promise<CliResult> {
    const before = this.hashes();
    const result = await runCli(args, { wrap: (command) => this.command(command) });
    const what = `petstore ${args.join(' ').replaceAll(`${this.#folder.path}/`, '')}`;
    this.count('commands');
    if (result.status === 0 && !options.looksOnly) return result;
    if (result.status !== 0) {
      this.count('commands refused');
      if (args[0] !== 'doctor' && !/^petstore: .+\n$/m.test(result.stderr))
        throw new Fault(`${what} failed without a clear line: ${result.stderr.slice(0, 300)}`);
    }
    const after = this.hashes();
    const changed = Object.keys({ ...before, ...after }).filter(
      (name) =>
        before[name] !== after[name] && name !== (result.status === 0 ? options.makes : options.leaves),
    );
    if (changed.length === 0) return result;
    throw new Fault(
      `${what} ended with ${result.status} and changed ${changed.join(', ')}: ${result.stderr}`,
    );
  }

  /** The command of the program under test. */
  command(command: string[]): string[] {
    return this.program === undefined ? command : command.with(1, this.program);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const { service } of this.services) await service[Symbol.asyncDispose]();
    } finally {
      this.#folder[Symbol.dispose]();
    }
  }
}

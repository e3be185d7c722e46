import S3rver from '@20minutes/s3rver';
import { makeFolder } from './process/process.ts';

export interface S3Server extends AsyncDisposable {
  /** What a command needs to find the bucket `shop`. */
  env: Record<string, string>;
  port: number;
  client: Bun.S3Client;
}

/** A real S3 server on a free port, with a bucket named `shop` in a folder of its own. */
export async function openS3Server(): Promise<S3Server> {
  const folder = makeFolder();
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory: folder.path,
    silent: true,
    configureBuckets: [{ name: 'shop' }],
    // It leaves the last slash out of `GET /shop/`, and then finds a correct signature of that path wrong.
    allowMismatchedSignatures: true,
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const [accessKeyId, secretAccessKey] = ['S3RVER', 'S3RVER'];
  return {
    port,
    env: { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
    client: new Bun.S3Client({ endpoint, accessKeyId, secretAccessKey, bucket: 'shop' }),
    async [Symbol.asyncDispose]() {
      await server.close();
      folder[Symbol.dispose]();
    },
  };
}

/** The SHA-256 of a file or object, read piece by piece. */
export async function hashOf(file: Blob): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of file.stream()) hasher.update(chunk);
  return hasher.digest('hex');
}

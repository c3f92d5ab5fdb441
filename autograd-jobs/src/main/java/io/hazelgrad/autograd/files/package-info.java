/**
 * Files of tensors that other tools read and write: {@link io.hazelgrad.autograd.files.SafeTensors}
 * for the state of models, {@link io.hazelgrad.autograd.files.Npy} and {@link
 * io.hazelgrad.autograd.files.Npz} for NumPy.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.files;
